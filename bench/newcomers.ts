import { headersFor, internalHeaders } from './credentials.ts';
import type { Once } from './load/spec.ts';
import type { Population } from './population.ts';

/** So many at once. */
const AT_ONCE = 50;

/** Tells a service of a professional whom its world does not know yet. */
const record = async (url: string, id: string): Promise<void> => {
  const response = await fetch(`${url}/internal/professionals/${id}`, {
    method: 'PUT',
    headers: { ...internalHeaders, 'Content-Type': 'application/json' },
    body: JSON.stringify({
      userId: `user-of-${id}`,
      firstName: 'Ann',
      lastName: 'Lee',
      profession: 'hygienist',
      latitude: 30.5083,
      longitude: -97.6789,
    }),
  });
  if (response.status !== 204)
    throw new Error(`Recording ${id} was answered with ${response.status}: ${await response.text()}`);
};

/** The path of the command that all loads of commands send: save a posting. */
export const SAVE = '/professionals/postings/save';

/** The path that undoes it, for requests that have the same bodies. */
export const UNSAVE = '/professionals/postings/unsave';

const POSTING_COUNT = 2_000;

/**
 * Requests that each save another posting, or for another professional, so that each appends an event. The
 * professionals are new to the service, which is told of them first; the postings are the world's.
 *
 * @param name what the ids of the professionals begin with
 * @param count how many professionals
 */
export const savesByNewcomers = async (
  url: string,
  { postings }: Population,
  name: string,
  count: number,
): Promise<Once> => {
  const ids = Array.from({ length: count }, (_, index) => `${name}-${index}`);
  for (let first = 0; first < ids.length; first += AT_ONCE)
    await Promise.all(ids.slice(first, first + AT_ONCE).map((id) => record(url, id)));
  return {
    kind: 'once',
    method: 'POST',
    path: SAVE,
    headers: await Promise.all(
      ids.map(async (id) => ({
        ...(await headersFor({ sub: `user-of-${id}`, professional_id: id })),
        'X-Professional-Id': id,
        'Content-Type': 'application/json',
      })),
    ),
    bodies: postings.slice(0, POSTING_COUNT).map(({ id }) => JSON.stringify({ postingId: id })),
    first: 0,
  };
};
