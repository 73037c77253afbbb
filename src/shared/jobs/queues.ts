/** Every queue there is; `migrate` makes them. */
export const QUEUES = ['batch-export-runs', 'mails'] as const;
export type Queue = (typeof QUEUES)[number];
