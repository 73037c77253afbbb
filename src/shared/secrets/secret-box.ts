import { createCipheriv, createDecipheriv, hash, randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Settings } from '../../config/settings';
import { DomainError } from '../domain/domain-error';

const ALGORITHM = 'aes-256-gcm';
const IV_BYTES = 12;
const TAG_BYTES = 16;

/** The key that a secret was sealed with is no longer in `SECRET_KEY`: 503 until the operator puts it back. */
export class SecretUnreadable extends DomainError {
  constructor() {
    super(
      'unavailable',
      'secret_unreadable',
      'A stored secret cannot be read: no key of SECRET_KEY opens it. The operator has to add the key it was made with.',
    );
  }
}

/** Secrets at rest: AES-256-GCM under `SECRET_KEY`. The first key encrypts, every key decrypts (rotation). */
@Injectable()
export class SecretBox {
  private readonly keys: readonly Buffer[];

  constructor(settings: Settings) {
    this.keys = settings.secretKeys.map((key) => hash('sha256', key, 'buffer'));
  }

  /** `context` binds the text to its place (such as a row's id), so that it cannot be moved to another row. */
  seal(text: string, context: string): Buffer {
    const [key] = this.keys;
    if (key === undefined) throw new Error('SECRET_KEY is missing');
    const iv = randomBytes(IV_BYTES);
    const cipher = createCipheriv(ALGORITHM, key, iv).setAAD(Buffer.from(context));
    const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
    return Buffer.concat([iv, cipher.getAuthTag(), sealed]);
  }

  /** @throws SecretUnreadable when no key of `SECRET_KEY` opens it, or when `context` is another than it was sealed with. */
  open(sealed: Buffer, context: string): string {
    const iv = sealed.subarray(0, IV_BYTES);
    const tag = sealed.subarray(IV_BYTES, IV_BYTES + TAG_BYTES);
    for (const key of this.keys) {
      const decipher = createDecipheriv(ALGORITHM, key, iv).setAAD(Buffer.from(context)).setAuthTag(tag);
      try {
        return Buffer.concat([
          decipher.update(sealed.subarray(IV_BYTES + TAG_BYTES)),
          decipher.final(),
        ]).toString('utf8');
      } catch {
        // Sealed with another key of the list: the next one may open it.
      }
    }
    throw new SecretUnreadable();
  }
}
