export type State = 'ok' | 'warning' | 'problem';

/** What the doctor found out about one thing. */
export interface Finding {
  readonly check: string;
  readonly state: State;
  readonly found: string;
  /** What to do about it. */
  readonly mend: string | null;
}

export const ok = (check: string, found: string): Finding => ({ check, state: 'ok', found, mend: null });

/** It works, though not as it might. */
export const warning = (check: string, found: string, mend: string): Finding => ({
  check,
  state: 'warning',
  found,
  mend,
});

export const problem = (check: string, found: string, mend: string): Finding => ({
  check,
  state: 'problem',
  found,
  mend,
});

/** What a failure says, in one line. */
export const wordsOf = (error: unknown): string => {
  const { message = '', code = '' } = error as { message?: string; code?: string };
  return (message || code || String(error)).replace(/\s*\n\s*/g, ' ');
};
