/** SQL for the names of a user as one, or an empty text. */
export const fullName = (alias: string): string =>
  `trim(concat_ws(' ', ${alias}.first_name, ${alias}.last_name))`;

/**
 * SQL that joins to `users AS u` where `@current` leads (D14): `current_organization.id` and `current_project.id`,
 * null where there is none. What the user entered last counts as long as it is theirs, and a project as long as they
 * see it; else it is the organization they joined first, and of an organization the oldest project that they see.
 */
export const currentOf = `
  LEFT JOIN LATERAL (
    SELECT mine.organization_id AS id FROM organization_memberships mine
     WHERE mine.user_id = u.id
     ORDER BY mine.organization_id = u.current_organization_id DESC, mine.joined_at, mine.id LIMIT 1
  ) current_organization ON true
  CROSS JOIN LATERAL (
    SELECT coalesce(
      (SELECT entered.project_id FROM project_viewers entered
        WHERE entered.project_id = u.current_project_id AND entered.user_id = u.id
          AND entered.organization_id = current_organization.id),
      (SELECT oldest.project_id FROM project_viewers oldest
        WHERE oldest.organization_id = current_organization.id AND oldest.user_id = u.id
        ORDER BY oldest.project_id LIMIT 1)) AS id
  ) current_project`;
