/** SQL for the User embedded in other resources (2.5), or null where `alias` has no row (MEM-02, MEM-03). */
export const embeddedUser = (alias: string): string => `
  CASE WHEN ${alias}.id IS NULL THEN NULL ELSE json_build_object(
    'id', ${alias}.id, 'uuid', ${alias}.uuid, 'distinct_id', ${alias}.distinct_id,
    'first_name', ${alias}.first_name, 'last_name', ${alias}.last_name, 'email', ${alias}.email,
    'is_email_verified', ${alias}.is_email_verified, 'hedgehog_config', ${alias}.hedgehog_config) END`;
