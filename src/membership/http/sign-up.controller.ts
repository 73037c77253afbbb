import { Body, Controller, Get, Param } from '@nestjs/common';
import {
  ApiBadRequestResponse,
  ApiBody,
  ApiCreatedResponse,
  ApiOkResponse,
  ApiOperation,
  ApiParam,
  ApiTags,
} from '@nestjs/swagger';
import { OptionalCaller, type Principal } from '../../identity/index';
import type { Representation } from '../../shared/domain/representation';
import { OptionalKey } from '../../shared/http/access';
import { readBody } from '../../shared/http/body.pipe';
import { ErrorResponse } from '../../shared/http/openapi/error.response';
import { Post } from '../../shared/idempotency/post';
import { SignUpService } from '../sign-up.service';
import { SignUpRequest } from './sign-up.requests';
import { OfferResponse, SignedUpResponse } from './sign-up.responses';

const ApiSecret = () =>
  ApiParam({
    name: 'secret',
    description: 'The last part of the link that an invite is accepted by.',
    schema: { type: 'string', example: '7hXq0TmV2kC9' },
  });

const ApiUnusable = () =>
  ApiBadRequestResponse({
    type: ErrorResponse,
    description:
      'The invite cannot be used. `code` is `invalid_input` for an unknown or used one, `expired`, ' +
      '`invalid_recipient` (the key is of another address), `account_exists` (the address has an account: send ' +
      'one of its keys), `sso_enforced`, `user_already_member` or `existing_email_address`.',
  });

@ApiTags('Sign-up')
@Controller('api/signup')
@OptionalKey()
export class SignUpController {
  constructor(private readonly signUps: SignUpService) {}

  @Get(':secret')
  @ApiSecret()
  @ApiOperation({ summary: 'Look at an invite', description: 'For whoever holds its link.' })
  @ApiOkResponse({ type: OfferResponse, description: 'What the invite offers.' })
  @ApiUnusable()
  retrieve(
    @Param('secret') secret: string,
    @OptionalCaller() caller: Principal | null,
  ): Promise<Representation> {
    return this.signUps.retrieve(secret, caller);
  }

  @Post(':secret')
  @ApiSecret()
  @ApiOperation({
    summary: 'Accept an invite',
    description:
      'Without a key this makes an account for the invited address, and a key for it. With a key of that address ' +
      'its user joins, and the body is not read. The organization becomes your current one. The invite is used up.',
  })
  @ApiBody({ type: SignUpRequest, required: false })
  @ApiCreatedResponse({ type: SignedUpResponse, description: 'Who has joined, and where.' })
  @ApiUnusable()
  accept(
    @Param('secret') secret: string,
    @OptionalCaller() caller: Principal | null,
    @Body() body: unknown,
  ): Promise<Representation> {
    if (caller) return this.signUps.join(secret, caller);
    return this.signUps.signUp(secret, () => {
      const { first_name, last_name = '' } = readBody(SignUpRequest, body);
      return { firstName: first_name, lastName: last_name };
    });
  }
}
