import { existsSync } from 'node:fs';
import { projections } from '../../projections/index.ts';
import { loadConfig, withEnvFile } from '../config.ts';
import { readEmbeddedHead } from '../event-store/embedded.ts';
import { START } from '../event-store/port.ts';
import type { LeaseStatus } from '../read-models/port.ts';
import { readEmbeddedCheckpoints } from '../read-models/embedded.ts';
import { openEventStore, openReadModelStore, type StoreSettings } from '../stores.ts';

interface Line {
  readonly projection: string;
  readonly version: number;
  /** In the log; null before the first event. */
  readonly position: string | null;
  readonly lagEvents: number;
  /** Which process keeps it up to date, and since when; null where nobody does, or only one can. */
  readonly holder: string | null;
  readonly since: string | null;
}

/** Read from the files: whether the service runs or not. */
const linesOfFiles = (eventsFile: string, readModelsFile: string): Line[] => {
  const head = existsSync(eventsFile) ? readEmbeddedHead(eventsFile) : 0;
  const positions = existsSync(readModelsFile)
    ? readEmbeddedCheckpoints(readModelsFile)
    : new Map<string, string>();
  return projections.map(({ name, version }) => {
    const position = positions.get(name) ?? null;
    const lagEvents = Math.max(0, head - Number(position ?? 0));
    return { projection: name, version, position, lagEvents, holder: null, since: null };
  });
};

const linesOfServers = async (stores: StoreSettings): Promise<Line[]> => {
  const eventStore = await openEventStore(stores.eventStore);
  const readModels = await openReadModelStore(stores.readModels, () => undefined);
  try {
    const leases: ReadonlyMap<string, LeaseStatus> = (await readModels.leases?.list()) ?? new Map();
    return await Promise.all(
      projections.map(async ({ name, version }) => {
        const { position = START, holder = null, since = null } = leases.get(name) ?? {};
        const lagEvents = await eventStore.countAfter(position);
        return {
          projection: name,
          version,
          position: position === START ? null : position,
          lagEvents,
          holder,
          since,
        };
      }),
    );
  } finally {
    await readModels.close();
    await eventStore.close();
  }
};

const linesOf = ({ eventStore, readModels }: StoreSettings): Line[] | Promise<Line[]> =>
  eventStore.kind === 'sqlite' && readModels.kind === 'sqlite'
    ? linesOfFiles(eventStore.path, readModels.path)
    : linesOfServers({ eventStore, readModels });

/** `hiring projections list`: where every projection stands, as a table or as JSON. */
export const listProjections = async ({ json }: { readonly json?: true }): Promise<void> => {
  const lines = await linesOf(loadConfig(withEnvFile(process.env, process.cwd())).stores);
  if (json) {
    process.stdout.write(`${JSON.stringify(lines, null, 2)}\n`);
    return;
  }
  const width = Math.max(18, ...lines.map(({ position }) => position?.length ?? 0));
  const row = (name: string, version: string, position: string, lag: string, holder: string) =>
    `${`${name.padEnd(26)}${version.padStart(7)}  ${position.padEnd(width)}${lag.padStart(10)}  ${holder}`.trimEnd()}\n`;
  process.stdout.write(
    row(
      'projection',
      'version',
      'position',
      'lag',
      lines.some(({ holder }) => holder) ? 'kept by, since' : '',
    ),
  );
  for (const { projection, version, position, lagEvents, holder, since } of lines)
    process.stdout.write(
      row(
        projection,
        String(version),
        position ?? '-',
        String(lagEvents),
        holder === null ? '' : `${holder}, ${since ?? ''}`,
      ),
    );
};
