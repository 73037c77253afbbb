import { Invalid } from '../../shared/domain/domain-error';
import { hasOffset, parseTimestamp, Text } from '../../shared/http/fields/index';
import type { BackfillBounds } from '../domain/backfill';

export class BackfillRequest {
  @Text({
    nullable: true,
    max: 64,
    description:
      'From when to export again: an ISO 8601 timestamp with an offset from UTC. Null, absent, or before the first ' +
      'data arrived: from then on.',
    example: '2025-03-01T00:00:00+00:00',
  })
  start_at?: string | null;

  @Text({
    nullable: true,
    max: 64,
    description:
      'Until when: an ISO 8601 timestamp with an offset from UTC, at most one interval after now. Null or absent: ' +
      'up to the last interval that has ended; only for the destinations HTTP and NoOp.',
    example: '2025-03-02T00:00:00+00:00',
  })
  end_at?: string | null;
}

/** @throws Invalid for what is no timestamp, or has no offset (BE-30) */
export const boundsOf = ({ start_at, end_at }: BackfillRequest): BackfillBounds => ({
  startAt: moment(start_at),
  endAt: moment(end_at),
});

function moment(text: string | null | undefined): Date | null {
  if (text === null || text === undefined) return null;
  const date = parseTimestamp(text);
  if (!date) throw new Invalid(null, 'invalid_input', `Input ${text} is not a valid ISO formatted datetime.`);
  if (!hasOffset(text)) throw new Invalid(null, 'invalid_input', `Input ${text} is naive.`);
  return date;
}
