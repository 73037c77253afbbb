import {
  Body,
  Controller,
  createParamDecorator,
  Delete,
  type ExecutionContext,
  Get,
  HttpCode,
  Patch,
  Put,
} from '@nestjs/common';
import {
  ApiCreatedResponse,
  ApiForbiddenResponse,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiParam,
  ApiTags,
} from '@nestjs/swagger';
import { isUUID } from 'class-validator';
import { NotFound } from '../../shared/domain/domain-error';
import type { Page, PageWindow, Representation } from '../../shared/domain/representation';
import { AnyKey, RequiresScope } from '../../shared/http/access';
import { ErrorResponse } from '../../shared/http/openapi/error.response';
import { ApiPageResponse } from '../../shared/http/openapi/page.response';
import { documented, Window } from '../../shared/http/parameters';
import { Post } from '../../shared/idempotency/post';
import { PersonalApiKeyService } from '../personal-api-key.service';
import { Principal } from '../principal';
import { Caller, type IdentityRequest } from './identity-request';
import {
  CreatePersonalApiKeyRequest,
  grantOf,
  UpdatePersonalApiKeyRequest,
} from './personal-api-key.requests';
import { PersonalApiKeyResponse } from './personal-api-key.responses';

const readKeyId = createParamDecorator((_: unknown, context: ExecutionContext): string => {
  const { params, principal } = context.switchToHttp().getRequest<IdentityRequest>();
  const { id = '' } = params;
  if (id === '@current' && principal) return principal.keyId;
  if (!isUUID(id, 'loose')) throw new NotFound();
  return id.toLowerCase();
});

/** The key of the path: one of the caller's, or `@current`, the one that calls (D14). */
const KeyId = () =>
  documented(
    readKeyId(),
    ApiParam({
      name: 'id',
      description: 'Id of one of your keys, or `@current`, the one you call with.',
      schema: { type: 'string', example: '@current' },
    }),
  );

@ApiTags('Personal API keys')
@Controller('api/personal_api_keys')
export class PersonalApiKeysController {
  constructor(private readonly keys: PersonalApiKeyService) {}

  @Get()
  @RequiresScope('personal_api_key:read')
  @ApiOperation({
    summary: 'List your personal API keys',
    description: 'Newest first, without their values.',
  })
  @ApiPageResponse(PersonalApiKeyResponse)
  list(@Caller() { userId }: Principal, @Window() window: PageWindow): Promise<Page> {
    return this.keys.list(userId, window);
  }

  @Post()
  @RequiresScope('personal_api_key:write')
  @ApiOperation({
    summary: 'Create a personal API key',
    description:
      'The answer alone shows its value. The new key has no scope, organization, project or time beyond those of ' +
      'the calling key. At most 100 keys a user.',
  })
  @ApiCreatedResponse({ type: PersonalApiKeyResponse, description: 'The key, with its value.' })
  create(@Caller() caller: Principal, @Body() body: CreatePersonalApiKeyRequest): Promise<Representation> {
    return this.keys.create(caller, grantOf(body));
  }

  @Get(':id')
  @AnyKey()
  @ApiOperation({
    summary: 'Retrieve a personal API key',
    description: 'Any key may retrieve itself; the others of its user need `personal_api_key:read`.',
  })
  @ApiOkResponse({ type: PersonalApiKeyResponse, description: 'The key, without its value.' })
  @ApiForbiddenResponse({ type: ErrorResponse, description: 'It is another key, and the scope is missing.' })
  retrieve(@Caller() caller: Principal, @KeyId() id: string): Promise<Representation> {
    if (id !== caller.keyId) caller.mustHaveScope('personal_api_key:read');
    return this.keys.retrieve(caller.userId, id);
  }

  @Patch(':id')
  @RequiresScope('personal_api_key:write')
  @ApiOperation({
    summary: 'Change a personal API key',
    description:
      'Neither before nor after the change may the key have a scope, organization, project or time beyond those ' +
      'of the calling key, which may be the same one.',
  })
  @ApiOkResponse({
    type: PersonalApiKeyResponse,
    description: 'The key after the change, without its value.',
  })
  update(
    @Caller() caller: Principal,
    @KeyId() id: string,
    @Body() body: UpdatePersonalApiKeyRequest,
  ): Promise<Representation> {
    return this.keys.update(caller, id, grantOf(body));
  }

  @Put(':id')
  @RequiresScope('personal_api_key:write')
  @ApiOperation({
    summary: 'Replace the settings of a personal API key',
    description:
      'Required fields must be given as on create; optional ones that are left out keep their values. The limits ' +
      'of changing a key apply.',
  })
  @ApiOkResponse({
    type: PersonalApiKeyResponse,
    description: 'The key after the change, without its value.',
  })
  replace(
    @Caller() caller: Principal,
    @KeyId() id: string,
    @Body() body: CreatePersonalApiKeyRequest,
  ): Promise<Representation> {
    return this.keys.update(caller, id, grantOf(body));
  }

  @Delete(':id')
  @HttpCode(204)
  @RequiresScope('personal_api_key:write')
  @ApiOperation({ summary: 'Delete a personal API key', description: 'It stops working at once.' })
  @ApiNoContentResponse({ description: 'Deleted.' })
  delete(@Caller() caller: Principal, @KeyId() id: string): Promise<void> {
    return this.keys.delete(caller, id);
  }

  @Post(':id/roll')
  @HttpCode(200)
  @RequiresScope('personal_api_key:write')
  @ApiOperation({
    summary: 'Give a personal API key a new value',
    description:
      'The answer alone shows the value; the old one stops working at once. The key must not have a scope, ' +
      'organization, project or time beyond those of the calling key, which may be the same one.',
  })
  @ApiOkResponse({ type: PersonalApiKeyResponse, description: 'The key, with its new value.' })
  roll(@Caller() caller: Principal, @KeyId() id: string): Promise<Representation> {
    return this.keys.roll(caller, id);
  }
}
