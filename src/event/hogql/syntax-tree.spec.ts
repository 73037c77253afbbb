import { readTree } from './syntax-tree';

it('keeps numbers as they were written', () => {
  expect(readTree('{"node":"x","a":1.0,"b":-12345678901234567890,"c":"1.0 \\" 2","d":[1e-05]}')).toEqual({
    node: 'x',
    a: { number: '1.0' },
    b: { number: '-12345678901234567890' },
    c: '1.0 " 2',
    d: [{ number: '1e-05' }],
  });
});
