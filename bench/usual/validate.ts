import { Ajv } from 'ajv';
import createError from 'http-errors';
import type { Static, TSchema } from '../../src/schema/typebox.ts';

const ajv = new Ajv();
/** Texts of the query string become what the schema says, and what was left out its default. */
const coercing = new Ajv({ coerceTypes: true, useDefaults: true });

/** Makes the check of one part of a request. It gives the value, or throws an HTTP error. */
export const validator = <S extends TSchema>(
  part: 'path' | 'query' | 'body' | 'token',
  schema: S,
): ((value: unknown) => Static<S>) => {
  const validate = (part === 'query' ? coercing : ajv).compile<Static<S>>(schema);
  return (value) => {
    if (validate(value)) return value;
    throw createError(part === 'token' ? 401 : 400, ajv.errorsText(validate.errors, { dataVar: part }));
  };
};
