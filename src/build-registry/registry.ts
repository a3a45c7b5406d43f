import { Type } from 'typebox';
import { checker } from '../schema/validation.ts';
import { Entry } from './build.ts';

/**
 * The builds of every projection and the decisions about them, shared by the service's instances and the command line.
 */
export interface BuildRegistry {
  /** By projection name. */
  all(): Promise<ReadonlyMap<string, Entry>>;
  /**
   * Changes one entry atomically.
   *
   * @param act returns the new entry; called again where another process was faster; what it throws is thrown
   */
  change(name: string, act: (before: Entry | undefined) => Entry): Promise<Entry>;
  close(): Promise<void>;
}

/** The entry of a projection that must have one. @throws Error where there is none */
export const entryOf = (name: string, entry: Entry | undefined): Entry => {
  if (!entry) throw new Error(`The build registry has lost ${name}`);
  return entry;
};

/**
 * Changes the entry of a projection that must have one.
 *
 * @throws Error where there is none; and what `act` throws
 */
export const changeKnown = (
  registry: Pick<BuildRegistry, 'change'>,
  name: string,
  act: (before: Entry) => Entry,
): Promise<Entry> => registry.change(name, (before) => act(entryOf(name, before)));

const check = checker(Entry, 'catalogue');

const checkOlder = checker(
  Type.Object({
    builds: Type.Array(
      Type.Object({
        quarantined: Type.Optional(Type.Unknown()),
        releases: Type.Optional(Type.Array(Type.Object({ event: Type.Optional(Type.Unknown()) }))),
      }),
    ),
  }),
  'catalogue',
);

/** Earlier versions stored parked streams here, which are in checkpoints now, and releases that name no event. */
const upcast = (value: unknown): unknown => {
  const older = checkOlder(value);
  if (!older.ok) return value;
  const builds = older.value.builds.map(({ quarantined: _, releases = [], ...build }) => ({
    ...build,
    releases: releases.filter(({ event }) => event !== undefined),
  }));
  return { ...older.value, builds };
};

/** @throws Error for an entry that this code cannot have written */
export const parseEntry = (value: unknown): Entry => {
  const checked = check(upcast(value));
  if (!checked.ok) throw new Error(`The build registry cannot be read: ${checked.message}`);
  return checked.value;
};
