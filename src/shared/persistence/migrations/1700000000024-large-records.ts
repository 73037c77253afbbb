import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What a query of an export comes to when an event makes too much of it. */
export class LargeRecords1700000000024 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // Volatile: what gives the same always is worked out before there is any event.
    await runner.query(`
      CREATE FUNCTION hogql_too_large() RETURNS bigint LANGUAGE plpgsql VOLATILE PARALLEL SAFE AS $$
      BEGIN
        RAISE data_exception USING MESSAGE = 'it makes a record of more than 48 MiB of an event';
      END $$`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP FUNCTION hogql_too_large()');
  }
}
