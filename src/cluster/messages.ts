import type { MetricObjectWithValues, MetricValue } from 'prom-client';

/** All metrics of one process. */
export type ProcessMetrics = readonly MetricObjectWithValues<MetricValue<string>>[];

/** What a process that serves tells the one that started it. */
export type FromWorker =
  | { readonly kind: 'serving'; readonly port: number }
  | { readonly kind: 'not started'; readonly why: string }
  | { readonly kind: 'metrics wanted'; readonly question: number }
  | { readonly kind: 'metrics'; readonly round: number; readonly metrics: ProcessMetrics };

/** What it is told. */
export type ToWorker =
  | { readonly kind: 'stop' }
  | { readonly kind: 'tell metrics'; readonly round: number }
  | { readonly kind: 'metrics of all'; readonly question: number; readonly text: string };
