import { isObject } from '../schema/json.ts';
import type { Difference } from '../build-registry/build.ts';

/** Longer values are cut: what differs must be found, not repeated. */
const MOST_SHOWN = 200;
const MOST_FIELDS = 20;

const show = (value: unknown): string => {
  const text = value === undefined ? 'nothing' : JSON.stringify(value);
  return text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN)}…` : text;
};

const membersOf = (value: unknown): Readonly<Record<string, unknown>> | undefined =>
  Array.isArray(value) ? Object.fromEntries(value.entries()) : isObject(value) ? value : undefined;

/** Of an object whose members may be called anything, `constructor` too: what is its own. */
const own = (members: Readonly<Record<string, unknown>>, name: string): unknown =>
  Object.hasOwn(members, name) ? members[name] : undefined;

function* differing(
  live: unknown,
  built: unknown,
  path: string,
): Generator<Difference['fields'][number], void, undefined> {
  if (Object.is(live, built)) return;
  const [ours, theirs] = [membersOf(live), membersOf(built)];
  if (!ours || !theirs || Array.isArray(live) !== Array.isArray(built)) {
    yield { path: path === '' ? '(all)' : path, live: show(live), built: show(built) };
    return;
  }
  for (const name of new Set([...Object.keys(ours), ...Object.keys(theirs)]))
    yield* differing(own(ours, name), own(theirs, name), path === '' ? name : `${path}.${name}`);
}

/** The members in which two documents differ, by path; the first of them. */
export const differingFields = (live: unknown, built: unknown): Difference['fields'] => {
  const fields: Difference['fields'] = [];
  for (const field of differing(live, built, '')) {
    fields.push(field);
    if (fields.length === MOST_FIELDS) break;
  }
  return fields;
};
