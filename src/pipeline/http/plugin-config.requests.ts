import { PartialType } from '@nestjs/swagger';
import { Invalid } from '../../shared/domain/domain-error';
import { Bool, Int, integerCheck, JsonObject, Text } from '../../shared/http/fields/index';
import type { Json } from '../domain/plugin';
import type { PluginConfigDetails } from '../domain/plugin-config';

const MOST_ORDERS = 1000;
const LARGEST_ID = 2_147_483_647;
const LONGEST_KEY = 200;

export class CreatePluginConfigRequest {
  @Int({
    required: true,
    description:
      "Id of a plugin that the project's organization sees: its own, or a global one. It stays; later it is ignored.",
    example: 42,
  })
  plugin!: number;

  @Bool({ description: 'Whether the project uses the plugin; false on create unless given.', example: true })
  enabled?: boolean;

  @Int({
    description: 'Place among the configs of the project; the last on create unless given.',
    example: 1,
  })
  order?: number;

  @JsonObject({
    description:
      "The values of the plugin's `config_schema`, by key. They take the place of the ones before, except that secrets " +
      'and files that are left out, null, or sent back as they were answered stay; an empty text clears them. A `string` ' +
      'is a text of at most 100,000 characters, a `choice` one of its choices, a `json` a text that is JSON or any other ' +
      'value, an `attachment` an object of `name`, `contents` in base64 and optionally `type`. Keys that the plugin does ' +
      'not know are refused; what it requires must be there, or have a default, when the config is enabled.',
    example: {},
  })
  config?: Json;

  @Text({
    max: 400,
    blank: true,
    nullable: true,
    description: "Name; the plugin's while it is null or empty.",
    example: 'Greetings',
  })
  name?: string | null;

  @Text({
    max: 1000,
    blank: true,
    nullable: true,
    description: "What it is for; the plugin's while it is null or empty.",
    example: 'Greets new customers.',
  })
  description?: string | null;

  @Bool({
    description: 'Whether it is deleted, and with that disabled; false restores it.',
    example: false,
  })
  deleted?: boolean;
}

export class UpdatePluginConfigRequest extends PartialType(CreatePluginConfigRequest, {
  skipNullProperties: false,
}) {}

export class RearrangePluginConfigsRequest {
  @JsonObject({
    required: true,
    description: 'The new `order` of configs of the project by their ids, at most 1000.',
    example: {},
  })
  orders!: Json;
}

export function detailsOf(body: UpdatePluginConfigRequest): PluginConfigDetails {
  const { enabled, order, config, name, description, deleted } = body;
  return { enabled, order, config, name, description, deleted };
}

/** @throws Invalid that names the entry to blame */
export function ordersOf({ orders }: RearrangePluginConfigsRequest): ReadonlyMap<number, number> {
  const entries = Object.entries(orders);
  if (entries.length > MOST_ORDERS) {
    throw new Invalid('orders', 'max_length', `Ensure this field has no more than ${MOST_ORDERS} elements.`);
  }
  const check = integerCheck();
  return new Map(
    entries.map(([key, order]) => {
      const attr = `orders__${key.slice(0, LONGEST_KEY)}`;
      if (!/^\d{1,10}$/.test(key) || Number(key) > LARGEST_ID) {
        throw new Invalid(attr, 'invalid_input', 'Not the id of a config.');
      }
      const bad = check(order);
      if (bad) throw new Invalid(attr, bad.code, bad.detail);
      return [Number(key), order as number];
    }),
  );
}
