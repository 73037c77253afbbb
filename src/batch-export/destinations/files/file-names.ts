import type { Delivery } from '../../domain/delivery';
import type { Config } from '../../domain/destination-rules';

/** How a moment is written in a name. */
export type MomentStyle = (moment: Date) => string;

/** `2026-01-31T13:00:00+00:00`, as PostHog names objects. */
export const extended: MomentStyle = (moment) =>
  moment.toISOString().replace(/(?:\.(\d{3}))?Z$/, (_, ms) => `${ms === '000' ? '' : `.${ms}000`}+00:00`);

/** `20260131T130000Z`: colons are not for file systems. */
export const basic: MomentStyle = (moment) => moment.toISOString().replace(/[-:]|\.000/g, '');

/**
 * What the files of one run are called: the same in each of its attempts, so that a repeat takes their place.
 * `<start>-<end>.jsonl.gz`, or with `max_file_size_mb` numbered from 0 and with a manifest that lists them.
 */
export class FileNames {
  /** The prefix with what its variables stand for, no slash first. */
  readonly prefix: string;
  readonly manifest: string;
  /** Whether the records are cut into numbered files. */
  readonly areNumbered: boolean;
  /** What all of the names begin with. */
  readonly base: string;

  constructor(
    config: Config,
    { interval, model }: Pick<Delivery, 'interval' | 'model'>,
    private readonly suffix: string,
    style: MomentStyle,
  ) {
    this.prefix = filledIn(String(config.prefix ?? ''), interval.start, model).replace(/^\/+/, '');
    this.areNumbered = typeof config.max_file_size_mb === 'number';
    this.base = `${style(interval.start)}-${style(interval.end)}`;
    this.manifest = `${this.base}_manifest.json`;
  }

  numbered(number: number): string {
    return this.areNumbered ? `${this.base}-${number}${this.suffix}` : this.base + this.suffix;
  }

  /** Whether an attempt of this run can have made a file of this name, however many there were. */
  include(name: string): boolean {
    if (!this.areNumbered) return name === this.numbered(0);
    if (name === this.manifest) return true;
    if (!name.startsWith(`${this.base}-`) || !name.endsWith(this.suffix)) return false;
    return /^\d+$/.test(name.slice(this.base.length + 1, -this.suffix.length));
  }
}

/** The variables of a prefix stand for the start of the data interval, in UTC; other braces are left as they are. */
function filledIn(prefix: string, start: Date, table: string): string {
  const [year = '', month = '', day = '', hour = '', minute = ''] = start.toISOString().split(/[-T:]/);
  const values = new Map(Object.entries({ year, month, day, hour, minute, table }));
  return prefix.replace(/\{(\w+)\}/g, (braces, name: string) => values.get(name) ?? braces);
}
