import { Type, type Static } from '../schema/typebox.ts';
import type { EventPointer } from '../event-store/port.ts';
import { createValidator } from '../schema/validation.ts';
import { StoredProjectionBuilds, type ProjectionBuilds } from './build-schema.ts';

/** What was found missing from the event log. Once its last event is there again, so is all of it. */
const LogLoss = Type.Object({
  /** The identity of the event log. */
  log: Type.String(),
  last: Type.Object({ position: Type.String(), id: Type.String() }),
  /** RFC 3339 */
  foundAt: Type.String(),
  /** How many, of which positions, and since when, as far as that is known. */
  text: Type.String(),
});
export type LogLoss = Readonly<Static<typeof LogLoss>>;

/** The builds of every projection and the decisions about them, shared by all instances and the command line. */
export interface BuildRegistry {
  /** By projection name. */
  all(): Promise<ReadonlyMap<string, ProjectionBuilds>>;
  /** Changes one record atomically; calls `act` again where another process was faster. @throws what `act` throws */
  change(name: string, act: (before: ProjectionBuilds | undefined) => ProjectionBuilds): Promise<ProjectionBuilds>;
  /** The first event of the event log that all builds are made from: its identity. Undefined while it is not known. */
  firstOfLog(): Promise<EventPointer | undefined>;
  /** Notes the first event of the log that builds belong to; undefined: that of the log found at the next start. */
  noteFirstEvent(first: EventPointer | undefined): Promise<void>;
  /** What was found lost, since builds that are made anew no longer show it; undefined where nothing was. */
  logLoss(): Promise<LogLoss | undefined>;
  noteLogLoss(lost: LogLoss): Promise<void>;
  close(): Promise<void>;
}

/** The record of a projection that must have one. @throws Error where there is none */
export const requireRecord = <R>(name: string, record: R | undefined): R => {
  if (!record) throw new Error(`The build registry has lost ${name}`);
  return record;
};

/** Changes the record of a projection that must have one. @throws Error where there is none; and what `act` throws */
export const changeRecord = (
  registry: Pick<BuildRegistry, 'change'>,
  name: string,
  act: (before: ProjectionBuilds) => ProjectionBuilds,
): Promise<ProjectionBuilds> => registry.change(name, (before) => act(requireRecord(name, before)));

const checkLogLoss = createValidator(LogLoss, 'lost events');

/** @throws SyntaxError for a note that this code cannot have written */
export const parseLogLoss = (value: unknown): LogLoss => {
  const checked = checkLogLoss(value);
  if (!checked.ok) throw new SyntaxError(`The build registry cannot be read: ${checked.message}`);
  return checked.value;
};

const checkRecord = createValidator(StoredProjectionBuilds, 'catalogue');

const checkOlder = createValidator(
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
const upcastRecord = (value: unknown): unknown => {
  const older = checkOlder(value);
  if (!older.ok) return value;
  const builds = older.value.builds.map(({ quarantined: _, releases = [], ...build }) => ({
    ...build,
    releases: releases.filter(({ event }) => event !== undefined),
  }));
  return { ...older.value, builds };
};

/** @throws SyntaxError for a record that this code cannot have written */
export const parseProjectionBuilds = (value: unknown): ProjectionBuilds => {
  const checked = checkRecord(upcastRecord(value));
  if (!checked.ok) throw new SyntaxError(`The build registry cannot be read: ${checked.message}`);
  const { live: active, ...rest } = checked.value;
  return { ...rest, active };
};

/** A record as it is stored, where the active build is `live`. */
export const toStoredRecord = ({ name, active, ...rest }: ProjectionBuilds): StoredProjectionBuilds => ({
  name,
  live: active,
  ...rest,
});
