import type { IncomingHttpHeaders } from 'node:http';
import type { Command } from '../application/command.ts';
import { requirePreconditions, type EntityTags, type Preconditions } from '../application/preconditions.ts';
import { invalid, preconditionFailed } from '../errors/domain-error.ts';
import type { Query } from '../application/query.ts';
import { START_POSITION } from '../event-store/port.ts';

/** RFC 9110, 8.8.3; proxies that compress put `W/` before a tag of ours, so it does not count. */
const TAG = /(?:W\/)?("[\x21\x23-\x7e\x80-\xff]*")/g;
/** No header holds it. */
const MARK = '\0';

/** @throws DomainError invalid for what is neither `*` nor a list of ETags (RFC 9110, 13.1.1) */
const entityTags = (header: string, text: string | undefined): EntityTags | undefined => {
  if (text === undefined) return undefined;
  if (text.trim() === '*') return '*';
  const tags = Array.from(text.matchAll(TAG), ([, tag = '']) => tag);
  const others = text.replaceAll(TAG, MARK).split(',');
  if (tags.length === 0 || others.some((other) => !['', MARK].includes(other.trim())))
    throw invalid(`The header ${header} must be * or ETags as they were sent, in double quotes, with commas between`);
  return tags;
};

/** Those of a write; undefined without a header. @throws DomainError invalid */
export const readPreconditions = ({
  'if-match': ifMatch,
  'if-none-match': ifNoneMatch,
}: IncomingHttpHeaders): Preconditions | undefined =>
  ifMatch === undefined && ifNoneMatch === undefined
    ? undefined
    : { ifMatch: entityTags('If-Match', ifMatch), ifNoneMatch: entityTags('If-None-Match', ifNoneMatch) };

/**
 * Refuses a read whose `If-Match` names another answer.
 *
 * @param etag of the answer; left out where it has none
 * @throws DomainError precondition-failed, or invalid
 */
export const requireMatch = ({ 'if-match': ifMatch }: IncomingHttpHeaders, etag = ''): void => {
  const tags = entityTags('If-Match', ifMatch);
  if (tags && tags !== '*' && !tags.includes(etag))
    throw preconditionFailed('The header If-Match does not name the ETag of the answer');
};

/** Refuses what has a precondition about what has no ETag. @throws DomainError precondition-failed, or invalid */
export const requirePreconditionsWithoutEtag = async (headers: IncomingHttpHeaders, isRead: boolean): Promise<void> => {
  const preconditions = isRead ? undefined : readPreconditions(headers);
  if (preconditions) await requirePreconditions(preconditions, START_POSITION);
  else requireMatch(headers);
};

/** Reads back what a command changes, at its own path; undefined where nothing does. A POST acts on what is below. */
export const readBackQueryOf = ({ method, path }: Command, queries: readonly Query[]): Query | undefined =>
  method === 'POST' ? undefined : queries.find((query) => query.path === path);
