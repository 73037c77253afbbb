import { applyDecorators, type Type } from '@nestjs/common';
import { ApiExtraModels, ApiOkResponse, getSchemaPath } from '@nestjs/swagger';

/** The schema of the list envelope (2.1) around a response class. */
export const pageSchema = (item: Type) => ({
  type: 'object' as const,
  description: 'One page of the list.',
  required: ['count', 'next', 'previous', 'results'],
  properties: {
    count: { type: 'integer', description: 'Total number of results.', example: 1 },
    next: {
      type: 'string',
      format: 'uri',
      nullable: true,
      description: 'The next page, or null.',
      example: 'https://hedgerow.example.com/api/organizations/?limit=100&offset=100',
    },
    previous: {
      type: 'string',
      format: 'uri',
      nullable: true,
      description: 'The page before, or null.',
      example: null,
    },
    results: { type: 'array', description: 'The items of the page.', items: { $ref: getSchemaPath(item) } },
  },
});

/** 200 with the list envelope around `item`. */
export const ApiPageResponse = (item: Type, description = 'One page of the list.') =>
  applyDecorators(ApiExtraModels(item), ApiOkResponse({ description, schema: pageSchema(item) }));
