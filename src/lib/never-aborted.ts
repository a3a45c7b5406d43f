/** For what nothing ends early. */
export const { signal: neverAborted } = new AbortController();
