import { isObject } from '../schema/json.ts';
import type { DocumentDifference } from './build-schema.ts';

/** Longer values are cut: a report is to show where documents differ, not to repeat them. */
const MAX_SHOWN = 200;
const MAX_FIELDS = 20;

const show = (value: unknown): string => {
  const text = value === undefined ? 'nothing' : JSON.stringify(value);
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text;
};

const membersOf = (value: unknown): Readonly<Record<string, unknown>> | undefined =>
  Array.isArray(value) ? Object.fromEntries(value.entries()) : isObject(value) ? value : undefined;

/** An object's own member, also where one may be called `constructor`. */
const own = (members: Readonly<Record<string, unknown>>, name: string): unknown =>
  Object.hasOwn(members, name) ? members[name] : undefined;

function* differing(
  active: unknown,
  built: unknown,
  path: string,
): Generator<DocumentDifference['fields'][number], void, undefined> {
  if (Object.is(active, built)) return;
  const [ours, theirs] = [membersOf(active), membersOf(built)];
  if (!ours || !theirs || Array.isArray(active) !== Array.isArray(built)) {
    yield { path: path === '' ? '(all)' : path, live: show(active), built: show(built) };
    return;
  }
  for (const name of new Set([...Object.keys(ours), ...Object.keys(theirs)]))
    yield* differing(own(ours, name), own(theirs, name), path === '' ? name : `${path}.${name}`);
}

/** The first members in which two documents differ, by path. */
export const differingFields = (active: unknown, built: unknown): DocumentDifference['fields'] => {
  const fields: DocumentDifference['fields'] = [];
  for (const field of differing(active, built, '')) {
    fields.push(field);
    if (fields.length === MAX_FIELDS) break;
  }
  return fields;
};
