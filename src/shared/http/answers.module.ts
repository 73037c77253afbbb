import { Global, Module } from '@nestjs/common';
import { FirstAnswers } from '../idempotency/first-answers';
import { Answers } from './answers';

/** What routes need to be answered, in whichever context they are: also where none is called, as in a command. */
@Global()
@Module({ providers: [Answers, FirstAnswers], exports: [Answers, FirstAnswers] })
export class AnswersModule {}
