import type { Static, TSchema } from './typebox.ts';
import { createValidator } from './validation.ts';

/**
 * A value from outside (another process, a file), as what it should be.
 *
 * @param what names it in the message
 * @throws Error that says what is wrong with it
 */
export const parse = <S extends TSchema>(schema: S, value: unknown, what: string): Static<S> => {
  const checked = createValidator(schema, what)(value);
  if (!checked.ok) throw new Error(checked.message);
  return checked.value;
};
