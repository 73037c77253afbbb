/** The TXT records of a host, as a port: DNS in the server, what a test needs in tests. */
export abstract class TxtResolver {
  /** The texts of the records, each in one piece; none when there are none or DNS does not tell in time. */
  abstract resolve(host: string): Promise<readonly string[]>;
}
