import type { ServerResponse } from 'node:http';
import { Injectable } from '@nestjs/common';
import { Settings } from '../../config/settings';
import { NumberedPage, Page, Representation } from '../domain/representation';
import { entityTagOf, namesTag } from '../request/entity-tag';
import type { ApiRequest } from './api-request';

/**
 * The answer of an operation that sends no body unless the caller asks for one with
 * `Prefer: return=representation` (D1).
 */
export class OnRequest {
  constructor(readonly answer: unknown) {}
}

/** An answer with headers of its own, such as `Link`, or the `Content-Type` of a text that is not JSON. */
export class WithHeaders {
  constructor(
    readonly answer: unknown,
    readonly headers: Readonly<Record<string, string>>,
  ) {}
}

/** A page of a list in its envelope: JSON text, in pieces, since to put a large one together is to copy it. */
export class Enveloped {
  constructor(readonly pieces: readonly string[]) {}

  toString(): string {
    return this.pieces.join('');
  }
}

/** Whether what was rendered is a text: `String` makes one of it. */
export const isText = (rendered: unknown): rendered is string | Enveloped =>
  typeof rendered === 'string' || rendered instanceof Enveloped;

/** Makes of what a controller answers what is sent: representations and lists as they are, the rest on request. */
@Injectable()
export class Answers {
  constructor(private readonly settings: Settings) {}

  /**
   * Sets the headers, and the status of what the caller has already.
   * @returns the text to send, as one or `Enveloped`, undefined for none; what is no answer of ours as it is
   */
  render(answer: unknown, request: ApiRequest, response: ServerResponse): unknown {
    if (answer instanceof Representation) return resource(answer.json, request, response);
    if (answer instanceof Enveloped) return jsonText(answer, response);
    if (answer instanceof WithHeaders) {
      for (const [name, value] of Object.entries(answer.headers)) response.setHeader(name, value);
      return this.render(answer.answer, request, response);
    }
    if (answer instanceof OnRequest) return this.onRequest(answer, request, response);
    if (answer instanceof Page || answer instanceof NumberedPage)
      throw new Error('A route that answers a list takes a window of it');
    return answer;
  }

  private onRequest({ answer }: OnRequest, request: ApiRequest, response: ServerResponse): unknown {
    const asked = preferredReturn(request.headers.prefer);
    response.setHeader('Vary', 'Prefer');
    if (asked) response.setHeader('Preference-Applied', `return=${asked}`);
    if ((asked ?? this.settings.defaultPrefer) === 'minimal') return undefined;
    return this.render(answer, request, response);
  }
}

/** One resource and its `ETag`; of one that the caller has already, only that it is still the same (304). */
function resource(
  json: string,
  { method, headers }: ApiRequest,
  response: ServerResponse,
): string | undefined {
  if (method === 'POST') return jsonText(json, response);
  const tag = entityTagOf(json);
  response.setHeader('ETag', tag);
  response.setHeader('Cache-Control', 'private, no-cache');
  const known = headers['if-none-match'];
  if (known === undefined || !['GET', 'HEAD'].includes(method) || !namesTag(known, tag, 'weak')) {
    return jsonText(json, response);
  }
  response.statusCode = 304;
  return undefined;
}

function jsonText<Text extends string | Enveloped>(text: Text, response: ServerResponse): Text {
  response.setHeader('Content-Type', 'application/json; charset=utf-8');
  return text;
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
