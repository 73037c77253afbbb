import { v7 as uuidv7 } from 'uuid';
import type { CapturedEvent } from '../src/event/domain/captured-event';

const PAGES = [
  '',
  'products',
  'products/teapot',
  'products/kettle',
  'cart',
  'blog/how-we-brew',
  'about',
  'login',
];
const REFERRERS = [
  'https://www.google.com/',
  'https://news.ycombinator.com/',
  'https://duckduckgo.com/',
  '$direct',
];
const BROWSERS = [
  ['Chrome', 131, 'Windows'],
  ['Chrome', 131, 'Android'],
  ['Mobile Safari', 18, 'iOS'],
  ['Safari', 18, 'Mac OS X'],
  ['Firefox', 132, 'Linux'],
] as const;
const CITIES = [
  ['Berlin', 'DE', 'Europe/Berlin'],
  ['São Paulo', 'BR', 'America/Sao_Paulo'],
  ['Kraków', 'PL', 'Europe/Warsaw'],
  ['New York', 'US', 'America/New_York'],
  ['東京', 'JP', 'Asia/Tokyo'],
] as const;
const PLANS = ['free', 'free', 'free', 'team', 'business'];

interface Visitor {
  readonly device: string;
  readonly session: string;
  readonly browser: (typeof BROWSERS)[number];
  readonly city: (typeof CITIES)[number];
  readonly referrer: string;
  userId: string | null;
}

/** The visitors of a shop, and what they do; the same for the same seed, but for the ids of the events. */
export class Shop {
  private readonly visitors: Visitor[];
  private users = 0;
  private state: number;

  constructor(visitors: number, seed = 1) {
    this.state = seed;
    this.visitors = Array.from({ length: visitors }, () => this.visitor());
  }

  /** What somebody does at this time: mostly to look at a page. */
  next(at: Date): CapturedEvent {
    const visitor = this.pick(this.visitors);
    const chance = this.random();
    if (chance < 0.65) return this.event('$pageview', visitor, at, { title: 'Teapots & more' });
    if (chance < 0.88) return this.click(visitor, at);
    if (chance < 0.93) return this.purchase(visitor, at);
    return visitor.userId === null ? this.signUp(visitor, at) : this.event('$pageleave', visitor, at, {});
  }

  private click(visitor: Visitor, at: Date): CapturedEvent {
    const text = this.pick(['Add to cart', 'Next', 'Read more', 'Sign up']);
    return this.event('$autocapture', visitor, at, {
      $event_type: 'click',
      $elements_chain: `button.primary:nth-child="2"nth-of-type="1"text="${text}"attr__class="primary";div.card:nth-child="3"nth-of-type="3"`,
    });
  }

  private purchase(visitor: Visitor, at: Date): CapturedEvent {
    const amount = Math.round(this.random() * 20_000) / 100;
    return this.event('order completed', visitor, at, {
      amount,
      currency: 'EUR',
      items: [{ sku: `TP-${Math.floor(this.random() * 900)}`, name: 'Teapot "Ünique"', quantity: 1 }],
      $set: { last_order_amount: amount },
    });
  }

  private signUp(visitor: Visitor, at: Date): CapturedEvent {
    this.users += 1;
    visitor.userId = `user-${this.users}`;
    return this.event('$identify', visitor, at, {
      $anon_distinct_id: visitor.device,
      $set: { email: `user-${this.users}@example.com`, plan: this.pick(PLANS) },
      $set_once: { signed_up_at: at.toISOString(), $initial_referrer: visitor.referrer },
    });
  }

  private event(name: string, visitor: Visitor, at: Date, more: Record<string, unknown>): CapturedEvent {
    const [browser, version, os] = visitor.browser;
    const [city, country, zone] = visitor.city;
    const path = this.pick(PAGES);
    return {
      uuid: uuidv7({ msecs: at.getTime() }),
      event: name,
      distinctId: visitor.userId ?? visitor.device,
      timestamp: new Date(at.getTime() - Math.floor(this.random() * 5_000)),
      properties: {
        $current_url: `https://shop.example.com/${path}`,
        $host: 'shop.example.com',
        $pathname: `/${path}`,
        $browser: browser,
        $browser_version: version,
        $os: os,
        $device_type: os === 'iOS' || os === 'Android' ? 'Mobile' : 'Desktop',
        $device_id: visitor.device,
        $session_id: visitor.session,
        $screen_width: 1920,
        $screen_height: 1080,
        $viewport_width: 1440 + Math.floor(this.random() * 400),
        $referrer: visitor.referrer,
        $geoip_city_name: city,
        $geoip_country_code: country,
        $timezone: zone,
        $lib: 'web',
        $lib_version: '1.194.3',
        ...more,
      },
    };
  }

  private visitor(): Visitor {
    return {
      device: this.id(),
      session: this.id(),
      browser: this.pick(BROWSERS),
      city: this.pick(CITIES),
      referrer: this.pick(REFERRERS),
      userId: null,
    };
  }

  private id(): string {
    const hex = Array.from({ length: 4 }, () =>
      Math.floor(this.random() * 2 ** 32)
        .toString(16)
        .padStart(8, '0'),
    );
    return hex.join('').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
  }

  private pick<T>(choices: readonly T[]): T {
    return choices[Math.floor(this.random() * choices.length)] as T;
  }

  /** Numbers from 0 to 1, the same after the same seed (mulberry32). */
  private random(): number {
    this.state = (this.state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }
}
