import type { OpenAPIObject } from '@nestjs/swagger';
import Ajv, { type ValidateFunction } from 'ajv';
import addFormats from 'ajv-formats';
import { EMPTY_UNLESS_PREFERRED } from '../../src/shared/http/openapi/on-request.response';
import type { Answer } from './client';

type Schema = Record<string, unknown>;
type Operation = {
  responses: Record<string, { $ref?: string; content?: Record<string, { schema: Schema }> }>;
  [extension: string]: unknown;
};

/** Checks answers against the OpenAPI document, so that every e2e test is a test of the document. */
export class Contract {
  private readonly ajv = new Ajv({ strict: false, allErrors: true });
  private readonly validators = new Map<Schema, ValidateFunction>();
  private readonly templates: { pattern: RegExp; path: string }[];

  constructor(private readonly document: OpenAPIObject) {
    addFormats(this.ajv);
    this.ajv.addSchema({ $id: 'api', components: strict(document.components) as object });
    this.templates = Object.keys(document.paths)
      // A literal segment wins over a placeholder: `invites/bulk/` is not an invite's id.
      .sort((a, b) => a.split('{').length - b.split('{').length)
      .map((path) => ({ path, pattern: new RegExp(`^${path.replace(/\{[^}]+\}/g, '[^/]+')}$`) }));
  }

  /** @throws Error when the document does not foresee this answer. */
  check(method: string, url: string, answer: Answer): void {
    const path = url.replace(/\?.*$/, '');
    const template = this.templates.find(({ pattern }) => pattern.test(path))?.path;
    const item = template
      ? (this.document.paths[template] as unknown as Record<string, Operation>)
      : undefined;
    const operation = item?.[method.toLowerCase()];
    if (!operation) return;
    const name = `${method} ${template} ${answer.status}`;
    const declared = operation.responses[String(answer.status)];
    if (!declared)
      throw new Error(`The OpenAPI document does not know ${name}: ${answer.text.slice(0, 500)}`);
    const response = declared.$ref ? this.resolve(declared.$ref) : declared;
    const media = (answer.headers.get('content-type') ?? '').replace(/;.*$/, '');
    if (answer.text === '') {
      const empty = !response.content || operation[EMPTY_UNLESS_PREFERRED] === true;
      if (!empty) throw new Error(`The OpenAPI document promises a body for ${name}`);
      return;
    }
    const schema = response.content?.[media]?.schema;
    if (!schema) throw new Error(`The OpenAPI document does not know ${name} with ${media}`);
    if (media !== 'application/json') return;
    const validate = this.validatorOf(schema);
    if (!validate(answer.body)) {
      throw new Error(
        `${name} is not what the OpenAPI document says: ${this.ajv.errorsText(validate.errors)}`,
      );
    }
  }

  private resolve(reference: string): { content?: Record<string, { schema: Schema }> } {
    const parts = reference.replace('#/', '').split('/');
    return parts.reduce<unknown>((at, part) => (at as Record<string, unknown>)[part], this.document) as never;
  }

  private validatorOf(schema: Schema): ValidateFunction {
    let validate = this.validators.get(schema);
    if (!validate) {
      validate = this.ajv.compile(strict(schema) as object);
      this.validators.set(schema, validate);
    }
    return validate;
  }
}

/**
 * OpenAPI 3.0 as JSON Schema: `nullable` becomes a type, references lead into the document. An object without a
 * word on other fields has none, so that a field that is answered but not documented fails the test.
 */
function strict(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(strict);
  if (typeof value !== 'object' || value === null) return value;
  const { nullable, example: _example, ...rest } = value as Schema;
  const schema = Object.fromEntries(Object.entries(rest).map(([key, item]) => [key, strict(item)]));
  if (typeof schema.$ref === 'string') schema.$ref = schema.$ref.replace('#/', 'api#/');
  if (schema.type === 'object' && schema.properties && schema.additionalProperties === undefined) {
    schema.additionalProperties = false;
  }
  return nullable === true ? { anyOf: [schema, { type: 'null' }] } : schema;
}
