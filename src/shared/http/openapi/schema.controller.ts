import { Controller, Get, Header, Injectable } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { Public } from '../access';

/** The OpenAPI document as JSON text, set once all routes are known. */
@Injectable()
export class OpenApiText {
  json = '';
}

@ApiExcludeController()
@Controller('api/schema')
export class SchemaController {
  constructor(private readonly document: OpenApiText) {}

  @Get()
  @Public()
  @Header('Content-Type', 'application/json; charset=utf-8')
  retrieve(): string {
    return this.document.json;
  }
}
