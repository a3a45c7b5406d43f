/** A value that survives JSON unchanged. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [member: string]: Json };
export type JsonObject = Readonly<Record<string, Json>>;

/** Whether a value is a JSON object, and not null or an array. */
export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** JSON text with sorted members, so that equal values give equal text. */
export const canonicalJson = (value: unknown): string =>
  // A replacer, which has nothing to do for texts and numbers, takes several times as long.
  typeof value !== 'object'
    ? JSON.stringify(value)
    : JSON.stringify(value, (_name, member: unknown) =>
        isObject(member) ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1))) : member,
      );
