import type { TextForm } from './text-forms';

export type FieldType = 'str' | 'int' | 'bool' | 'list' | 'dict';

/** A field of a destination's configuration (BE-14). */
export interface FieldSpec {
  /** Lists are lists of texts. */
  readonly type: FieldType | readonly FieldType[];
  readonly required?: boolean;
  /** Sealed at rest and in no answer (BE-15). */
  readonly secret?: boolean;
  readonly nullable?: boolean;
  /** What holds where the field is not given; it is not stored. */
  readonly default?: string | number | boolean;
  readonly choices?: readonly string[];
  /** Of an integer. */
  readonly min?: number;
  /** Of an integer; of a text, in characters. */
  readonly max?: number;
  /** Of a text. */
  readonly form?: TextForm;
  /** It says where the secrets are sent: they must be given again when it changes. */
  readonly leads?: 'to host' | 'to url' | 'to port';
  /** The texts `True` and `False` are understood as well. */
  readonly booleanText?: boolean;
  /** Of a dict. */
  readonly fields?: Fields;
  /** What its name does not say, for the documentation; a part of a sentence. */
  readonly about?: string;
}

export type Fields = Readonly<Record<string, FieldSpec>>;

export const text: FieldSpec = { type: 'str' };
export const requiredText: FieldSpec = { type: 'str', required: true };
export const requiredSecret: FieldSpec = { type: 'str', required: true, secret: true };
export const optionalText: FieldSpec = { type: 'str', nullable: true };
export const optionalSecret: FieldSpec = { type: 'str', nullable: true, secret: true };
export const flag = { type: 'bool', default: false } as const;
