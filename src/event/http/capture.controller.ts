import { applyDecorators, Controller, HttpCode, Post, Req } from '@nestjs/common';
import {
  ApiBody,
  ApiExtraModels,
  ApiOkResponse,
  ApiOperation,
  ApiPayloadTooLargeResponse,
  ApiTags,
  ApiUnauthorizedResponse,
  getSchemaPath,
} from '@nestjs/swagger';
import { Clock } from '../../shared/domain/clock';
import { Public } from '../../shared/http/access';
import type { ApiRequest } from '../../shared/http/api-request';
import { ErrorResponse } from '../../shared/http/openapi/error.response';
import { CaptureService } from '../capture.service';
import { CAPTURE_LIMIT_TEXT, CAPTURE_PATHS, MOST_VALUES_TEXT, readCaptureBody } from './capture.body';
import { readCapture } from './capture.reader';
import { CaptureBatchRequest, CapturedEventRequest } from './capture.requests';
import { CaptureResponse } from './capture.responses';
import { CaptureRoom } from './capture-room';

const [BATCH, CAPTURE, EVENT, INGEST] = CAPTURE_PATHS;
const MOST_TOLD = 100;

/** The same under every path: SDKs differ in the one they send to. */
const Captures = (path: string, who: string) =>
  applyDecorators(
    Post(path),
    Public(),
    HttpCode(200),
    ApiOperation({
      summary: `Send events ${who}`,
      description:
        'A batch, an array of events, or one event; JSON under any media type, also gzipped, and with or without the ' +
        'slash at the end. The `api_token` of a project says where they go. Events that are not valid are told, and ' +
        'the others are kept.',
    }),
    ApiBody({
      schema: {
        oneOf: [
          { $ref: getSchemaPath(CaptureBatchRequest) },
          { type: 'array', items: { $ref: getSchemaPath(CapturedEventRequest) } },
          { $ref: getSchemaPath(CapturedEventRequest) },
        ],
      },
    }),
    ApiOkResponse({ type: CaptureResponse, description: 'What became of them.' }),
    ApiUnauthorizedResponse({
      type: ErrorResponse,
      description: 'The token is missing, or no project has it.',
    }),
    ApiPayloadTooLargeResponse({
      type: ErrorResponse,
      description: `The body, or what it inflates to, is larger than ${CAPTURE_LIMIT_TEXT}, or holds more than ${MOST_VALUES_TEXT}.`,
    }),
  );

@ApiTags('Capture')
@ApiExtraModels(CaptureBatchRequest, CapturedEventRequest)
@Controller()
export class CaptureController {
  constructor(
    private readonly captures: CaptureService,
    private readonly room: CaptureRoom,
    private readonly clock: Clock,
  ) {}

  @Captures(BATCH, 'in batches')
  batch(@Req() request: ApiRequest): Promise<CaptureResponse> {
    return this.take(request);
  }

  @Captures(CAPTURE, 'one by one')
  capture(@Req() request: ApiRequest): Promise<CaptureResponse> {
    return this.take(request);
  }

  @Captures(EVENT, 'from older SDKs')
  event(@Req() request: ApiRequest): Promise<CaptureResponse> {
    return this.take(request);
  }

  @Captures(INGEST, 'from newer SDKs')
  ingest(@Req() request: ApiRequest): Promise<CaptureResponse> {
    return this.take(request);
  }

  private take({ body, headers }: ApiRequest): Promise<CaptureResponse> {
    return this.room.within(async (place) => {
      const json = await readCaptureBody(body, headers['content-type'] ?? '', place);
      const { events, rejected } = await this.captures.keep(readCapture(json, this.clock.now()));
      return { status: 'Ok', accepted: events.length, rejected: rejected.slice(0, MOST_TOLD) };
    });
  }
}
