import { Clock } from '../../src/shared/domain/clock';

/** The real time until a test moves it. */
export class TestClock extends Clock {
  private ahead = 0;

  now(): Date {
    return new Date(Date.now() + this.ahead);
  }

  advance({ days = 0, hours = 0, minutes = 0, seconds = 0 }): void {
    this.ahead += (((days * 24 + hours) * 60 + minutes) * 60 + seconds) * 1000;
  }

  reset(): void {
    this.ahead = 0;
  }
}
