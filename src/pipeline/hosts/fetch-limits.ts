import { Injectable } from '@nestjs/common';

/** How much of this server one plugin may take while it is fetched. */
@Injectable()
export class FetchLimits {
  /** How many plugins are fetched, or asked for, at once. The others wait, within their time. */
  readonly atOnce: number = 8;
  /** How many of these for one user: hosts that do not answer keep nobody else waiting. */
  readonly atOnceOfOne: number = 3;
  /** In milliseconds, for all that one fetch asks and unpacks. */
  readonly time: number = 30_000;
  /** In bytes: an archive as it comes. */
  readonly packed: number = 20 * 1024 * 1024;
  /** In bytes: the same unpacked. */
  readonly unpacked: number = 60 * 1024 * 1024;
  /** Files and folders of an archive, or of a folder. */
  readonly entries: number = 5_000;
  /** In bytes: what an API answers, other than an archive. */
  readonly answer: number = 10 * 1024 * 1024;
}
