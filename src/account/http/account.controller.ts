import { Body, Controller, Get, Patch, Put } from '@nestjs/common';
import { ApiForbiddenResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Caller, Principal } from '../../identity/index';
import type { Representation } from '../../shared/domain/representation';
import { AnyKey } from '../../shared/http/access';
import { ErrorResponse } from '../../shared/http/openapi/error.response';
import { AccountService } from '../account.service';
import { changeOf, ReplaceAccountRequest, UpdateAccountRequest } from './account.requests';
import { AccountResponse } from './account.responses';

const OUT_OF_REACH = {
  type: ErrorResponse,
  description: 'The key is restricted and does not reach the organization or project.',
};

@ApiTags('Account')
@Controller('api/users/@me')
@AnyKey()
export class AccountController {
  constructor(private readonly account: AccountService) {}

  @Get()
  @ApiOperation({
    summary: 'Retrieve yourself',
    description: 'With where `@current` leads. What the key is restricted to makes no difference.',
  })
  @ApiOkResponse({ type: AccountResponse, description: 'The caller.' })
  retrieve(@Caller() { userId }: Principal): Promise<Representation> {
    return this.account.retrieve(userId);
  }

  @Patch()
  @ApiOperation({
    summary: 'Change your name, or where `@current` leads',
    description: '`@current` changes for all of your keys.',
  })
  @ApiOkResponse({ type: AccountResponse, description: 'The caller after the change.' })
  @ApiForbiddenResponse(OUT_OF_REACH)
  update(@Caller() caller: Principal, @Body() body: UpdateAccountRequest): Promise<Representation> {
    return this.account.update(caller, changeOf(body));
  }

  @Put()
  @ApiOperation({
    summary: 'Replace your settings',
    description: 'The first name must be given; optional fields that are left out keep their values.',
  })
  @ApiOkResponse({ type: AccountResponse, description: 'The caller after the change.' })
  @ApiForbiddenResponse(OUT_OF_REACH)
  replace(@Caller() caller: Principal, @Body() body: ReplaceAccountRequest): Promise<Representation> {
    return this.account.update(caller, changeOf(body));
  }
}
