/**
 * The symbolic name of a failure (`ECONNREFUSED`, `TimeoutError`): what may be told of an error of another library,
 * whose message may hold addresses, URLs and what the other side said.
 */
export const failureName = (error: unknown): string => {
  if (!(error instanceof Error)) return 'unknown';
  const code = 'code' in error ? error.code : undefined;
  if (typeof code === 'string' && /^[A-Z][A-Z0-9_]*$/.test(code)) return code;
  // fetch hides the reason in the cause of a TypeError.
  return error.cause instanceof Error ? failureName(error.cause) : error.name;
};
