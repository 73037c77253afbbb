import type { ExecutionContext } from '@nestjs/common';
import type { Reflector } from '@nestjs/core';
import { TENANT, type TenantOfPath } from '../../shared/http/access';

/** Stands in paths for where the caller is (D14). */
export const CURRENT = '@current';

/** The organizations and projects that a route's path names: those of its controller, then its own. */
export const tenantsOf = (reflector: Reflector, context: ExecutionContext): TenantOfPath[] =>
  [context.getClass(), context.getHandler()].flatMap(
    (target) => reflector.get<TenantOfPath | undefined>(TENANT, target) ?? [],
  );

/** The project that a request's path names, or null when it names none, or what can be no project's id. */
export function projectOf(
  reflector: Reflector,
  context: ExecutionContext,
  params: Readonly<Record<string, string | undefined>>,
): number | 'current' | null {
  const tenant = tenantsOf(reflector, context).find(({ kind }) => kind === 'project');
  const value = tenant && params[tenant.param];
  if (value === undefined) return null;
  return value === CURRENT ? 'current' : integerOf(value);
}

function integerOf(value: string): number | null {
  return /^\d{1,10}$/.test(value) && Number(value) > 0 && Number(value) <= 2_147_483_647
    ? Number(value)
    : null;
}
