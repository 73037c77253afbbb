import { LEVELS, type Level } from '../../shared/domain/level';
import { Bool, Choice, Email, Text } from '../../shared/http/fields/index';
import type { Invitation } from '../domain/organization-invite';
import { type PrivateProjectAccess, ProjectAccessField } from './private-project-access';

export class CreateInviteRequest {
  @Email({ required: true, description: 'Whom to invite.', example: 'grace@example.com' })
  target_email!: string;

  @Text({ max: 30, blank: true, description: 'First name, for the greeting.', example: 'Grace', default: '' })
  first_name?: string;

  @Choice({
    choices: LEVELS,
    description: '1 member, 8 administrator, 15 owner; at most your own.',
    example: 1,
    default: 1,
  })
  level?: Level;

  @Text({
    max: 10_000,
    blank: true,
    nullable: true,
    description: 'A message to whom you invite.',
    example: 'Welcome!',
  })
  message?: string | null;

  @ProjectAccessField()
  private_project_access?: PrivateProjectAccess[] | null;

  @Bool({
    description:
      'Whether to mail the link to the address. Where no mail goes out, because this is false or the server sends ' +
      'none, the answer carries the link in its `Link` header.',
    example: true,
    default: true,
  })
  send_email?: boolean;

  @Bool({
    description:
      'Whether the invite takes over what a pending one to the same address offers: the higher level, and the ' +
      'access to projects of both. Otherwise it replaces it.',
    example: false,
    default: false,
  })
  combine_pending_invites?: boolean;
}

export const invitationOf = (body: CreateInviteRequest): Invitation => ({
  targetEmail: body.target_email,
  firstName: body.first_name,
  level: body.level,
  message: body.message,
  privateProjectAccess: body.private_project_access ?? [],
  combinePending: body.combine_pending_invites,
  sendEmail: body.send_email,
});
