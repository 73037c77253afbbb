import { Module } from '@nestjs/common';
import { ProjectModule } from '../project/index';
import { CaptureService } from './capture.service';
import { EventStore } from './domain/event-store';
import { CaptureController } from './http/capture.controller';
import { CaptureRoom } from './http/capture-room';
import { ArrivalRepository } from './persistence/arrival.repository';
import { PersonRepository } from './persistence/person.repository';
import { PostgresEventStore } from './persistence/postgres-event-store';
import { RecordReader } from './persistence/record-reader';

@Module({
  imports: [ProjectModule],
  controllers: [CaptureController],
  providers: [
    CaptureService,
    CaptureRoom,
    ArrivalRepository,
    PersonRepository,
    RecordReader,
    { provide: EventStore, useClass: PostgresEventStore },
  ],
  exports: [EventStore],
})
export class EventModule {}
