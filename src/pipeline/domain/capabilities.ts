const METHODS = [
  'setupPlugin',
  'teardownPlugin',
  'getSettings',
  'processEvent',
  'onEvent',
  'exportEvents',
  'composeWebhook',
];
const SCHEDULED_TASKS = ['runEveryMinute', 'runEveryHour', 'runEveryDay'];

/** What the code of a plugin can do: the names of what it exports, by what the pipeline does with them. */
export interface Capabilities {
  readonly methods: readonly string[];
  readonly scheduled_tasks: readonly string[];
  readonly jobs: readonly string[];
}

/** @param jobs what the exported `jobs` has */
export function capabilitiesOf(exported: ReadonlySet<string>, jobs: readonly string[]): Capabilities {
  return {
    methods: METHODS.filter((name) => exported.has(name)),
    scheduled_tasks: SCHEDULED_TASKS.filter((name) => exported.has(name)),
    jobs: [...jobs],
  };
}
