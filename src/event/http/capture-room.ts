import { Injectable } from '@nestjs/common';
import { Unavailable } from '../../shared/http/http-errors';
import { Turns } from '../../shared/turns/turns';

/** What one request has of the room. */
export interface Place {
  /** @throws Unavailable where no more is left */
  take(bytes: number): void;
  /** Does what makes bytes of others: how many is not known before, hence a few at once. */
  inflate(work: () => Promise<Buffer>): Promise<Buffer>;
}

/** How much of the memory captures may take together: what is sent is cheap, and large once it is read. */
@Injectable()
export class CaptureRoom {
  /** In bytes: of bodies, of what they inflate to, and of the values in them. */
  protected readonly most: number = 256 * 1024 * 1024;
  private taken = 0;
  private readonly inflations = new Turns(4, 4);

  /** Whatever the work takes is free again when it ends. */
  async within<T>(work: (place: Place) => Promise<T>): Promise<T> {
    let own = 0;
    const take = (bytes: number) => {
      if (this.taken + bytes > this.most) throw new Unavailable('Too many events are being read.');
      own += bytes;
      this.taken += bytes;
    };
    try {
      return await work({ take, inflate: (inflation) => this.inflate(inflation, take) });
    } finally {
      this.taken -= own;
    }
  }

  private inflate(work: () => Promise<Buffer>, take: Place['take']): Promise<Buffer> {
    return this.inflations.take('anybody', null, async () => {
      const inflated = await work();
      take(inflated.length);
      return inflated;
    });
  }
}
