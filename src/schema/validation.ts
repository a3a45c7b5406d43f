import { Ajv2020, type ErrorObject, type ValidateFunction } from './ajv.ts';
import type { Static, TSchema } from './typebox.ts';
import { PERSONAL } from './schema.ts';

const ajv = new Ajv2020({
  verbose: true,
  strict: true,
  strictTypes: false,
  allowUnionTypes: true,
  // A test checks the schemas against their meta-schema, which takes a starting thread long to compile.
  validateSchema: false,
  // What it would optimize is no faster here, and takes a starting thread half of the time to compile.
  code: { optimize: false },
});
ajv.addVocabulary(['says', PERSONAL]);

const LONGEST_NAME = 60;
const shorten = (name: string) => (name.length > LONGEST_NAME ? `${name.slice(0, LONGEST_NAME)}…` : name);

/** An enum's texts; our enums hold only null besides. */
const namesIn = (values: unknown): string[] =>
  Array.isArray(values) ? values.filter((value) => typeof value === 'string') : [];

const explain = (where: string, error: ErrorObject): string => {
  const place = `${where}${error.instancePath}`;
  const params: Record<string, unknown> = error.params;
  if (error.keyword === 'additionalProperties')
    return `${place} must not have the member '${shorten(String(params['additionalProperty']))}'`;
  if (error.keyword === 'required') return `${place}/${String(params['missingProperty'])} is required`;
  if (error.keyword === 'enum') return `${place} must be one of ${namesIn(error.schema).join(', ')}`;
  if (error.keyword === 'uniqueItems') return `${place} must not hold the same entry twice`;
  const says: unknown = error.keyword === 'pattern' ? error.parentSchema?.['says'] : undefined;
  return `${place} ${typeof says === 'string' ? says : (error.message ?? 'is not valid')}`;
};

export type Check<T> = (
  value: unknown,
) => { readonly ok: true; readonly value: T } | { readonly ok: false; readonly message: string };

/** A check against a schema; `where` names the value in a message, as `body` in `body/postingId is required`. */
export const checker = <S extends TSchema>(schema: S, where: string): Check<Static<S>> => {
  let validate: ValidateFunction<Static<S>> | undefined;
  return (value) => {
    validate ??= ajv.compile<Static<S>>(schema);
    if (validate(value)) return { ok: true, value };
    const [error] = validate.errors ?? [];
    return { ok: false, message: error ? explain(where, error) : `${where} is not valid` };
  };
};
