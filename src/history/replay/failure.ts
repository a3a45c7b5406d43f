import { pathToFileURL } from 'node:url';

/** What an analyst's code has thrown, with the line of the file where that is known. */
export const describeReplayFailure = (file: string, error: unknown): string => {
  if (!(error instanceof Error)) return String(error);
  const place = `${pathToFileURL(file).href}?replay=`;
  const [, after = ''] = error.stack?.split(place) ?? [];
  const [, line] = /^\d+:(\d+)/.exec(after) ?? [];
  return line === undefined ? error.message : `line ${line}: ${error.message}`;
};
