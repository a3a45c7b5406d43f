/**
 * A library error's symbolic name (`ECONNREFUSED`, `TimeoutError`), safe to log: its message may hold addresses, URLs
 * and a server's text.
 */
export const failureName = (error: unknown): string => {
  if (!(error instanceof Error)) return 'unknown';
  const code = 'code' in error ? error.code : undefined;
  if (typeof code === 'string' && /^[A-Z][A-Z0-9_]*$/.test(code)) return code;
  // fetch hides the reason in the cause of a TypeError.
  return error.cause instanceof Error ? failureName(error.cause) : error.name;
};
