import { lstat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { installedBinaries } from './binaries';
import { findCluster } from './cluster';
import { databaseUrl } from './cluster-lock';
import { findPostmaster } from './postmaster';

/** The address of the database that another process runs in this DATA_DIR; null when none does. */
export async function urlOfRunning(directory: string): Promise<string | null> {
  const cluster = await findCluster(resolve(directory), await installedBinaries());
  const postmaster = cluster && (await findPostmaster(cluster.dataDirectory));
  return cluster && postmaster ? databaseUrl(cluster, postmaster.port) : null;
}

/** Whether there is a database in this DATA_DIR, which may run or not. */
export async function hasDatabase(directory: string): Promise<boolean> {
  return lstat(join(resolve(directory), 'postgres')).then(
    () => true,
    () => false,
  );
}
