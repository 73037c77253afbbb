import { Controller, Get, Injectable } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { Statement } from '../persistence/statement';
import { Transaction } from '../persistence/transaction';
import { Public } from './access';
import { Unavailable } from './http-errors';

const PING = new Statement('health.ping', 'SELECT 1 AS ok');

/** Whether this process takes requests: not before it has started, and not once it stops. */
@Injectable()
export class Readiness {
  private state: 'starting' | 'serving' | 'draining' = 'starting';

  serve(): void {
    this.state = 'serving';
  }

  drain(): void {
    this.state = 'draining';
  }

  get draining(): boolean {
    return this.state === 'draining';
  }

  get serving(): boolean {
    return this.state === 'serving';
  }
}

@ApiExcludeController()
@Controller()
export class HealthController {
  private pinging: Promise<boolean> | null = null;

  constructor(
    private readonly readiness: Readiness,
    private readonly transaction: Transaction,
  ) {}

  /** The process runs. */
  @Get('_livez')
  @Public()
  live(): { status: string } {
    return { status: 'ok' };
  }

  /**
   * Requests can be served: migrations are done (else it does not listen) and the database answers. Also when there are
   * too many of them: whoever balances loads would send all to the others, and have those fall over as well.
   */
  @Get('_readyz')
  @Public()
  async ready(): Promise<{ status: string }> {
    if (!this.readiness.serving) throw new Unavailable('The server is starting or stopping.');
    if (!(await this.ping())) throw new Unavailable('The database does not answer.');
    return { status: 'ok' };
  }

  /** However many ask at once, the database is asked once. */
  private ping(): Promise<boolean> {
    this.pinging ??= this.transaction
      .aside(() => this.transaction.rows(PING, []))
      .then(
        () => true,
        () => false,
      )
      .finally(() => {
        this.pinging = null;
      });
    return this.pinging;
  }
}
