import { Injectable } from '@nestjs/common';
import type { Program } from 'acorn';
import { CurrentRequest } from '../../shared/request/current-request';
import { PatientThread } from '../../shared/threads/patient-thread';
import { Turns } from '../../shared/turns/turns';

/**
 * Parses as a module, or else as a script, which may do a few things that modules must not. Gives what a module's
 * exports are read from: no places, and of functions and classes nothing but what they return before all else.
 */
const PARSE_EACH = `
  const { parentPort, workerData } = require('node:worker_threads');
  const { parse } = require(workerData.acorn);
  const options = { ecmaVersion: 'latest', allowHashBang: true, allowReturnOutsideFunction: true };
  const READ = ['ExpressionStatement', 'IfStatement', 'BlockStatement', 'ReturnStatement'];
  function kept(key, value) {
    if (key === 'start' || key === 'end' || (key === 'raw' && value !== 'null')) return undefined;
    if (typeof value === 'bigint') return String(value);
    if (typeof value !== 'object' || value === null) return value;
    if (key === 'params') return [];
    if (key === 'body' && this.type.startsWith('Class')) return null;
    if (key === 'body' && value.type === 'BlockStatement' && this.type.includes('Function')) {
      const [first] = value.body;
      return { type: value.type, body: first && first.type === 'ReturnStatement' ? [first] : [] };
    }
    const { type = '' } = value;
    return type.endsWith('Statement') && !READ.includes(type) ? { type } : value;
  }
  function parsed(code) {
    try {
      return parse(code, { ...options, sourceType: 'module' });
    } catch (error) {
      try {
        return parse(code, { ...options, sourceType: 'script' });
      } catch {
        throw error;
      }
    }
  }
  parentPort.on('message', (code) => {
    try {
      parentPort.postMessage({ program: JSON.stringify(parsed(code), kept) });
    } catch (error) {
      const isDeep = error instanceof RangeError;
      parentPort.postMessage({ error: isDeep ? 'The code is nested too deeply.' : error.message });
    }
  });`;

/** In milliseconds, of the parser: for all files of a plugin together. */
export class ParserTime {
  left = 5_000;
}

/** JavaScript that somebody gives, parsed in a thread: some short texts take minutes. */
@Injectable()
export class ModuleParser {
  private readonly thread = new PatientThread<string, { program: string } | { error: string }>(PARSE_EACH, {
    acorn: require.resolve('acorn'),
  });
  private readonly turns = new Turns(1, 1);

  constructor(private readonly current: CurrentRequest) {}

  /** As far as exports are read from it; or what is wrong. Takes from the time. */
  async parse(code: string, time: ParserTime): Promise<{ program: Program } | { error: string }> {
    const answer = await this.turns.take(this.current.owner, null, async () => {
      const began = performance.now();
      const answer = await this.thread.ask(code, time.left);
      time.left = Math.max(1, time.left - (performance.now() - began));
      return answer;
    });
    if (answer === null) return { error: 'The code takes too long to read.' };
    return 'error' in answer ? answer : { program: JSON.parse(answer.program) as Program };
  }
}
