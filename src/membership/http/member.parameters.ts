import { applyDecorators, createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { ApiQuery } from '@nestjs/swagger';
import type { IdentityRequest } from '../../identity/index';
import { Invalid } from '../../shared/domain/domain-error';
import { NO_TIMESTAMP, parseTimestamp, textCheck } from '../../shared/http/fields/index';
import { documented } from '../../shared/http/parameters';
import { MEMBER_ORDERS, type MemberFilter, type MemberOrder } from '../member-filter';

const NEWEST_FIRST: MemberOrder = '-joined_at';
const LONGEST_ADDRESS = 254;
const emailCheck = textCheck({ max: LONGEST_ADDRESS, blank: true });

const readFilter = createParamDecorator((_: unknown, context: ExecutionContext): MemberFilter => {
  const { query } = context.switchToHttp().getRequest<IdentityRequest>();
  return {
    order: orderOf(query.order),
    updatedAfter: momentOf(query.updated_after),
    email: emailOf(query.email),
  };
});

/** What the query narrows a list of members by, and its order (MEM-04); refused when it is not valid. */
export const Filter = (): ParameterDecorator =>
  documented(
    readFilter(),
    applyDecorators(
      ApiQuery({
        name: 'order',
        required: false,
        description: 'What to sort by; a dash means descending.',
        schema: { type: 'string', enum: [...MEMBER_ORDERS], default: NEWEST_FIRST },
      }),
      ApiQuery({
        name: 'updated_after',
        required: false,
        description: 'Only members whose membership changed after this moment.',
        schema: { type: 'string', format: 'date-time' },
      }),
      ApiQuery({
        name: 'email',
        required: false,
        description: 'Only the member with this e-mail address, whatever its case.',
        schema: { type: 'string', maxLength: LONGEST_ADDRESS },
      }),
    ),
  );

function orderOf(value: unknown): MemberOrder {
  if (value === undefined) return NEWEST_FIRST;
  const order = MEMBER_ORDERS.find((known) => known === value);
  if (!order) {
    throw new Invalid('order', 'invalid_choice', `The order must be one of ${MEMBER_ORDERS.join(', ')}.`);
  }
  return order;
}

function momentOf(value: unknown): Date | null {
  if (value === undefined) return null;
  const moment = parseTimestamp(value);
  if (!moment) {
    throw new Invalid('updated_after', 'invalid_input', NO_TIMESTAMP);
  }
  return moment;
}

function emailOf(value: unknown): string | null {
  if (value === undefined) return null;
  const bad = emailCheck(value);
  if (bad) throw new Invalid('email', bad.code, bad.detail);
  return String(value);
}
