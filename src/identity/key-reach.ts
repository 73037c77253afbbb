import { NotInAllOrganizations, NotInAllTeams } from './domain/key-grant';
import type { PersonalApiKeyQueries } from './persistence/personal-api-key.queries';

/**
 * A key is restricted to what its user belongs to.
 * @throws NotInAllOrganizations, NotInAllTeams (KEY-08)
 */
export async function refuseStrange(
  queries: PersonalApiKeyQueries,
  userId: number,
  organizations: readonly string[],
  teams: readonly number[],
): Promise<void> {
  const strangeOrganizations = await queries.strangeOrganizations(userId, organizations);
  if (strangeOrganizations.length > 0) throw new NotInAllOrganizations();
  const strangeTeams = await queries.strangeTeams(userId, teams);
  if (strangeTeams.length > 0) throw new NotInAllTeams();
}
