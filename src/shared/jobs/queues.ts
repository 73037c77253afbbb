/** Every queue there is; `migrate` makes them. */
export const QUEUES = ['mails'] as const;
export type Queue = (typeof QUEUES)[number];
