import { Controller, Get, Header, Injectable } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { Public } from '../access';

/** The OpenAPI document as JSON text. It is made when it is first asked for: that takes a tenth as long as a start. */
@Injectable()
export class OpenApiText {
  private text: string | null = null;
  private make = (): string => {
    throw new Error('Nobody says how the document is made');
  };

  madeBy(make: () => string): void {
    this.make = make;
  }

  get json(): string {
    this.text ??= this.make();
    return this.text;
  }
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
