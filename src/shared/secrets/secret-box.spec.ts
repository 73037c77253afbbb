import { Settings } from '../../config/settings';
import { SecretBox } from './secret-box';

const OLD = 'o'.repeat(32);
const NEW = 'n'.repeat(32);
const boxOf = (...keys: string[]) => new SecretBox(Settings.from({ SECRET_KEY: keys.join(',') }));

describe('SecretBox', () => {
  it('opens what it sealed', () => {
    for (const text of ['', 'hunter2', 'Zoë 🦔', 'x'.repeat(100_000)]) {
      expect(boxOf(OLD).open(boxOf(OLD).seal(text, 'row 1'), 'row 1')).toBe(text);
    }
  });

  it('shows nothing of the text, and seals no text twice in the same way', () => {
    const [one, other] = [boxOf(OLD).seal('hunter2', 'row 1'), boxOf(OLD).seal('hunter2', 'row 1')];
    expect(one.toString('latin1')).not.toContain('hunter2');
    expect(one.equals(other)).toBe(false);
  });

  it('opens with every key, and seals with the first (rotation)', () => {
    const old = boxOf(OLD).seal('hunter2', 'row 1');
    const rotated = boxOf(NEW, OLD);
    expect(rotated.open(old, 'row 1')).toBe('hunter2');
    const fresh = rotated.seal('hunter2', 'row 1');
    expect(boxOf(NEW).open(fresh, 'row 1')).toBe('hunter2');
    expect(() => boxOf(OLD).open(fresh, 'row 1')).toThrow('no key of SECRET_KEY opens it');
    expect(() => boxOf(NEW).open(old, 'row 1')).toThrow('no key of SECRET_KEY opens it');
  });

  it('opens nothing in another place, changed or cut off', () => {
    const box = boxOf(OLD);
    const sealed = box.seal('hunter2', 'row 1');
    expect(() => box.open(sealed, 'row 2')).toThrow();
    for (const index of [0, 12, sealed.length - 1]) {
      const changed = Buffer.from(sealed);
      changed.writeUInt8(sealed.readUInt8(index) ^ 1, index);
      expect(() => box.open(changed, 'row 1')).toThrow();
    }
    for (const length of [0, 5, 12, 20, 28, sealed.length - 1]) {
      expect(() => box.open(sealed.subarray(0, length), 'row 1')).toThrow();
    }
  });

  it('tells in its errors neither text nor key', () => {
    const sealed = boxOf(OLD).seal('hunter2', 'row 1');
    let told = '';
    try {
      boxOf(NEW).open(sealed, 'row 1');
    } catch (error) {
      told = String((error as Error).stack);
    }
    expect(told).toContain('no key of SECRET_KEY opens it');
    expect(told).not.toMatch(/hunter2|o{32}|n{32}/);
    expect(() => new SecretBox(Settings.from({})).seal('hunter2', 'row 1')).toThrow('SECRET_KEY is missing');
  });
});
