import { preconditionFailed } from '../errors/domain-error.ts';
import type { Position } from '../event-store/port.ts';

/** ETags without `W/`; `*`: whatever is there. */
export type EntityTags = readonly string[] | '*';

/** What must hold before a request changes anything (RFC 9110, 13.1.1 and 13.1.2). */
export interface Preconditions {
  /** One of these names what is there. */
  readonly ifMatch?: EntityTags | undefined;
  /** None of these does. */
  readonly ifNoneMatch?: EntityTags | undefined;
  /** The ETag of what is read back, once it shows a position; left out where nothing is read back at the same path. */
  readonly etagAt?: ((position: Position) => Promise<string>) | undefined;
}

const CHANGED = 'no ETag that a read gives now: read again, and decide anew';
const INCOMPARABLE = 'an ETag, but this operation has no read-back to compare it with: send * or no ETag';

/**
 * Compares with what is read back.
 *
 * @param last the position of the last event of what is changed: an append right after that event proves that none came
 *   in between; undefined where nothing is there
 * @throws DomainError precondition-failed, or what the read-back is refused with: it may not show the event in time
 */
export const requirePreconditions = async (
  { ifMatch, ifNoneMatch, etagAt }: Preconditions,
  last: Position | undefined,
): Promise<void> => {
  const isKnown = last !== undefined;
  const isCompared = Array.isArray(ifMatch) || Array.isArray(ifNoneMatch);
  const etag = isKnown && isCompared ? await etagAt?.(last) : undefined;
  const isNamed = (tags: EntityTags): boolean => (tags === '*' ? isKnown : etag !== undefined && tags.includes(etag));
  if (ifMatch && !isNamed(ifMatch)) {
    const what = isKnown ? (etagAt ? CHANGED : INCOMPARABLE) : 'what is not there';
    throw preconditionFailed(`The header If-Match names ${what}`);
  }
  if (ifNoneMatch && isNamed(ifNoneMatch)) throw preconditionFailed('The header If-None-Match names what is there');
};
