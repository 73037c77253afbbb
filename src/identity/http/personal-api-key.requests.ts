import { PartialType } from '@nestjs/swagger';
import { integerCheck, List, Text, Timestamp, textCheck } from '../../shared/http/fields/index';
import type { KeyGrant } from '../domain/key-grant';
import { SCOPES } from '../domain/scope';

export class CreatePersonalApiKeyRequest {
  @Text({
    required: true,
    trim: true,
    max: 40,
    description: 'What the key is for.',
    example: 'Nightly report',
  })
  label!: string;

  @List({
    required: true,
    max: 100,
    items: { type: 'string', enum: SCOPES },
    item: textCheck({ max: 100 }),
    description:
      'What the key may do, at least one: `object:read`, `object:write`, which implies reading, or `*` for ' +
      'everything. Not more than the calling key may do.',
    example: ['organization:read'],
  })
  scopes!: string[];

  @List({
    max: 1000,
    items: { type: 'string', format: 'uuid' },
    item: textCheck({ max: 100 }),
    description:
      'Ids of those of your organizations in which alone the key works; empty: in all. Needed when the calling ' +
      'key is restricted itself.',
    example: [],
    default: [],
  })
  scoped_organizations?: string[];

  @List({
    max: 1000,
    items: { type: 'integer' },
    item: integerCheck(),
    description:
      'Ids of those of your projects in which alone the key works; empty: in all. Needed when the calling key is ' +
      'restricted itself.',
    example: [],
    default: [],
  })
  scoped_teams?: number[];

  @Timestamp({
    nullable: true,
    description: 'When the key stops working; null: never. Not later than the calling key does.',
    example: '2099-12-31T23:59:59Z',
  })
  expires_at?: Date | null;
}

export class UpdatePersonalApiKeyRequest extends PartialType(CreatePersonalApiKeyRequest, {
  skipNullProperties: false,
}) {}

export function grantOf<B extends UpdatePersonalApiKeyRequest>(
  body: B,
): Partial<KeyGrant> & Pick<B, 'label' | 'scopes'> {
  return {
    label: body.label,
    scopes: body.scopes,
    scopedOrganizations: body.scoped_organizations,
    scopedTeams: body.scoped_teams,
    expiresAt: body.expires_at,
  };
}
