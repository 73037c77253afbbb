import type { Answer } from './client';

/** The error body, whole: `expect(answer).toEqual(refusal(400, 'required', 'This field is required.', 'name'))`. */
export function refusal(status: number, code: string, detail: unknown, attr: string | null = null) {
  const types: Record<number, string> = {
    400: code === 'parse_error' ? 'invalid_request' : 'validation_error',
    401: 'authentication_error',
    403: 'authentication_error',
    429: 'throttled_error',
    500: 'server_error',
    502: 'server_error',
    503: 'server_error',
  };
  return expect.objectContaining({
    status,
    body: { type: types[status] ?? 'invalid_request', code, detail, attr },
  });
}

export const NOT_FOUND = () => refusal(404, 'not_found', 'Not found.');

/** How many answers had each status. */
export function statuses(answers: readonly Answer[]): Record<number, number> {
  const counts: Record<number, number> = {};
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}
