import { execFile } from 'node:child_process';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import type { Report } from '../../bench/http/report';

jest.setTimeout(90_000);

const ROOT = resolve(__dirname, '../..');
const run = promisify(execFile);

/** `npm run bench` in a process of its own, on a database that it makes and drops. */
async function bench(...options: readonly string[]): Promise<string> {
  const command = ['--import', 'tsx', join(ROOT, 'bench/bench.ts'), ...options];
  const env = { ...process.env, DATABASE_URL: process.env.TEST_DATABASE_URL };
  return (await run(process.execPath, command, { cwd: ROOT, env })).stdout;
}

describe('npm run bench', () => {
  it('finds the answers of the server and of its baselines equal, and tells what it measured', async () => {
    const quick = ['--scale', '0.01', '--duration', '0.1', '--rounds', '1', '--connections', '2'];
    const small = ['--cold-starts', '1', '--from-source', '--json'];
    const report = JSON.parse(await bench(...quick, ...small)) as Report;

    expect(report).toMatchObject({
      machine: { cpu: expect.any(String), cores: expect.any(Number), node: process.version },
      database: { version: expect.any(String), fsync: expect.any(String) },
      settings: { scale: 0.01, connections: 2, duration: 0.1, rounds: 1 },
      coldStarts: [expect.any(Number)],
      failures: [],
    });
    expect(report.paths.map(({ name }) => name)).toEqual([
      'no-key',
      'key-check',
      'organization',
      'action',
      'actions-10',
      'actions-100',
      'actions-1000',
      'members-100',
      'batch-exports-100',
      'action-patch',
      'action-post',
      'actions-csv',
    ]);
    for (const { hedgerow, baselines } of report.paths) {
      expect(baselines.map(({ name }) => name)).toEqual(['postgres', 'node']);
      for (const { requestsPerSecond, p50, p99 } of [hedgerow, ...baselines]) {
        expect(requestsPerSecond).toBeGreaterThan(0);
        expect(p99).toBeGreaterThanOrEqual(p50);
      }
    }
  });

  it('says which paths there are when it is asked for another', async () => {
    await expect(bench('--paths', 'action,nothing')).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringContaining('--paths: "nothing" is none of no-key, key-check,'),
    });
  });
});
