import { Injectable } from '@nestjs/common';
import { type Activity, ActivityLog, changesBetween } from '../activity/index';
import { PersonalApiKeyQueries } from './persistence/personal-api-key.queries';

/** Tells each organization that a key reaches what is done to it, as far as that is the organization's concern. */
@Injectable()
export class KeyActivity {
  constructor(
    private readonly activity: ActivityLog,
    private readonly queries: PersonalApiKeyQueries,
  ) {}

  /** Within a transaction: what `work` does to the key, for the organizations that it reached or reaches by then. */
  async during<T>(keyId: string, activity: string, work: () => Promise<T>): Promise<T> {
    const before = await this.queries.reachOf(keyId);
    const result = await work();
    const after = await this.queries.reachOf(keyId);
    const organizations = new Set([...before.keys(), ...after.keys()]);
    await this.activity.record(
      ...[...organizations].flatMap((organizationId): Activity[] => {
        const [from = {}, to = {}] = [before.get(organizationId), after.get(organizationId)];
        const changes = changesBetween(from, to);
        const name = String(to.label ?? from.label);
        const subject = { organizationId, scope: 'PersonalAPIKey', itemId: keyId, name };
        return changes.length > 0 ? [{ ...subject, activity, changes }] : [];
      }),
    );
    return result;
  }
}
