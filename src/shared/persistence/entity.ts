import { EntitySchema, type EntitySchemaOptions } from 'typeorm';

type Fields = Record<string, unknown>;

/**
 * Maps a domain class itself to its table. The class's fields are private to TypeScript, so the mapping names
 * them as plain keys; every field must be mapped, since loading runs no initialisers.
 */
export function entity(
  domainClass: { readonly name: string; readonly prototype: object },
  options: Omit<EntitySchemaOptions<Fields>, 'target' | 'name'>,
): EntitySchema<object> {
  return new EntitySchema<Fields>({
    ...options,
    name: domainClass.name,
    target: domainClass as unknown as new () => Fields,
  }) as unknown as EntitySchema<object>;
}
