import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { map, type Observable } from 'rxjs';
import { Settings } from '../../config/settings';
import { NumberedPage, Page, Representation } from '../domain/representation';
import { entityTagOf, namesTag } from '../request/entity-tag';
import { OnRequest, WithHeaders } from './answers';
import type { ApiRequest } from './api-request';
import { envelope, numberedEnvelope } from './envelope';

/** Sends what services answer: representations as they are, pages in the list envelope, the rest on request. */
@Injectable()
export class AnswerInterceptor implements NestInterceptor {
  constructor(
    private readonly adapterHost: HttpAdapterHost,
    private readonly settings: Settings,
  ) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const http = context.switchToHttp();
    const request = http.getRequest<ApiRequest>();
    const response = http.getResponse<object>();
    if (request.bodyFailure) throw request.bodyFailure;
    return next.handle().pipe(map((answer) => this.send(answer, request, response)));
  }

  private send(answer: unknown, request: ApiRequest, response: object): unknown {
    if (answer instanceof WithHeaders) {
      for (const [name, value] of Object.entries(answer.headers)) {
        this.adapterHost.httpAdapter.setHeader(response, name, value);
      }
      return this.send(answer.answer, request, response);
    }
    if (answer instanceof OnRequest) {
      const { httpAdapter } = this.adapterHost;
      const asked = preferredReturn(request.headers.prefer);
      httpAdapter.setHeader(response, 'Vary', 'Prefer');
      if (asked) httpAdapter.setHeader(response, 'Preference-Applied', `return=${asked}`);
      if ((asked ?? this.settings.defaultPrefer) === 'minimal') return undefined;
      return this.send(answer.representation, request, response);
    }
    if (answer instanceof Page) return this.json(envelope(answer, request), response);
    if (answer instanceof NumberedPage) return this.json(numberedEnvelope(answer, request), response);
    if (answer instanceof Representation) return this.resource(answer.json, request, response);
    return answer;
  }

  /** One resource and its `ETag`; of one that the caller has already, only that it is still the same (304). */
  private resource(json: string, request: ApiRequest, response: object): string | undefined {
    const { httpAdapter } = this.adapterHost;
    const { method, headers } = request;
    if (method === 'POST') return this.json(json, response);
    const tag = entityTagOf(json);
    httpAdapter.setHeader(response, 'ETag', tag);
    httpAdapter.setHeader(response, 'Cache-Control', 'private, no-cache');
    const known = headers['if-none-match'];
    if (known === undefined || !['GET', 'HEAD'].includes(method) || !namesTag(known, tag, 'weak')) {
      return this.json(json, response);
    }
    httpAdapter.status(response, 304);
    return undefined;
  }

  private json(text: string, response: object): string {
    this.adapterHost.httpAdapter.setHeader(response, 'Content-Type', 'application/json; charset=utf-8');
    return text;
  }
}

/** What stands between the commas of a header; those in quotes separate nothing. */
const PREFERENCE = /(?:[^,"]|"(?:[^"\\]|\\.)*")+/g;

/** The `return` preference of RFC 7240; the first one counts, other preferences are none of ours. */
function preferredReturn(header: string | string[] | undefined): 'minimal' | 'representation' | null {
  const text = Array.isArray(header) ? header.join(',') : (header ?? '');
  for (const [preference] of text.matchAll(PREFERENCE)) {
    const [, value] = /^\s*return\s*=\s*"?(minimal|representation)"?\s*(?:;|$)/i.exec(preference) ?? [];
    if (value !== undefined) return value.toLowerCase() as 'minimal' | 'representation';
  }
  return null;
}
