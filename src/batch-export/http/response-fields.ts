/** What the response classes have in common. */
export const ID = '0195b1f4-7c1c-7000-8000-0123456789ab';
export const MOMENT = '2025-03-01T09:30:00.250000Z';

export const nullableMoment = { type: 'string', format: 'date-time', nullable: true, example: null } as const;
