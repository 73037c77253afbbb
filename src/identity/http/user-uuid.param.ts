import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { ApiParam } from '@nestjs/swagger';
import { isUUID } from 'class-validator';
import { NotFound } from '../../shared/domain/domain-error';
import { documented } from '../../shared/http/parameters';
import type { IdentityRequest } from './identity-request';

const ME = '@me';

/** The UUID of the user in the path, where `@me` stands for the caller (D14). @throws NotFound when it is none */
export function userUuidOf({ params, principal }: IdentityRequest): string {
  const value = params.user__uuid;
  if (value === ME && principal) return principal.userUuid;
  if (!isUUID(value, 'loose')) throw new NotFound();
  return String(value).toLowerCase();
}

const readUserUuid = createParamDecorator((_: unknown, context: ExecutionContext) =>
  userUuidOf(context.switchToHttp().getRequest<IdentityRequest>()),
);

export const UserUuid = (): ParameterDecorator =>
  documented(
    readUserUuid(),
    ApiParam({
      name: 'user__uuid',
      description: "The user's UUID, or `@me`.",
      schema: { type: 'string', example: '@me' },
    }),
  );
