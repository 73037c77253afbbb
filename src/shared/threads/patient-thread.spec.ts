import { PatientThread } from './patient-thread';

const MINUTE = 60_000;
const ECHO = `
  const { parentPort } = require('node:worker_threads');
  parentPort.on('message', (question) => {
    if (question === 'for ever') for (;;);
    if (question === 'too much') for (const all = []; ; ) all.push(new Array(1e6).fill({}));
    if (question === 'fail') throw new Error('failed');
    parentPort.postMessage(question);
  });`;

describe('A patient thread', () => {
  const thread = new PatientThread<string, string>(ECHO, {});

  it('answers, one question after the other', async () => {
    expect(await thread.ask('one', MINUTE)).toBe('one');
    expect(await thread.ask('two', MINUTE)).toBe('two');
  });

  it('gives up on what takes too long, while nobody else notices', async () => {
    let turns = 0;
    const turning = setInterval(() => {
      turns += 1;
    }, 10);
    expect(await thread.ask('for ever', 500)).toBeNull();
    clearInterval(turning);
    expect(turns).toBeGreaterThan(10);
    expect(await thread.ask('three', MINUTE)).toBe('three');
  });

  it('gives up on what takes too much memory', async () => {
    expect(await thread.ask('too much', MINUTE)).toBeNull();
    expect(await thread.ask('four', MINUTE)).toBe('four');
  });

  it('tells what fails, and goes on', async () => {
    await expect(thread.ask('fail', MINUTE)).rejects.toThrow('failed');
    expect(await thread.ask('five', MINUTE)).toBe('five');
  });
});
