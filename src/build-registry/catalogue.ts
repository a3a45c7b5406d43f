import { Type } from 'typebox';
import { checker } from '../schema/validation.ts';
import { Entry } from './build.ts';

/**
 * What is known and decided of the builds of every projection, lastingly, and shared by all who work with the same read
 * models: the service's instances and the command line.
 */
export interface Catalogue {
  /** By the projections' names. */
  all(): Promise<ReadonlyMap<string, Entry>>;
  /**
   * Changes one entry at once, whoever else does.
   *
   * @param act gives the entry as it is to be; called again where another was faster; what it throws is thrown
   */
  change(name: string, act: (before: Entry | undefined) => Entry): Promise<Entry>;
  close(): Promise<void>;
}

/** The entry of a projection that must have one. @throws Error where there is none */
export const entryOf = (name: string, entry: Entry | undefined): Entry => {
  if (!entry) throw new Error(`The catalogue has lost ${name}`);
  return entry;
};

/**
 * Changes the entry of a projection that somebody has worked with before.
 *
 * @throws Error where there is none; and what `act` throws
 */
export const changeKnown = (
  catalogue: Pick<Catalogue, 'change'>,
  name: string,
  act: (before: Entry) => Entry,
): Promise<Entry> => catalogue.change(name, (before) => act(entryOf(name, before)));

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

/** Earlier versions kept here what is parked, which is stored with the documents now, and releases that name no event. */
const upcast = (value: unknown): unknown => {
  const older = checkOlder(value);
  if (!older.ok) return value;
  const builds = older.value.builds.map(({ quarantined: _, releases = [], ...build }) => ({
    ...build,
    releases: releases.filter(({ event }) => event !== undefined),
  }));
  return { ...older.value, builds };
};

/** @throws Error for what this code cannot have written */
export const parseEntry = (value: unknown): Entry => {
  const checked = check(upcast(value));
  if (!checked.ok) throw new Error(`The catalogue of projections cannot be read: ${checked.message}`);
  return checked.value;
};
