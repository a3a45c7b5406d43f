import { existsSync } from 'node:fs';
import { projections } from '../../projections/index.ts';
import { loadConfig, withEnvFile } from '../config.ts';
import { readEmbeddedHead } from '../event-store/embedded.ts';
import { readEmbeddedCheckpoints } from '../read-models/embedded.ts';

interface Line {
  readonly projection: string;
  readonly version: number;
  /** In the log; null before the first event. */
  readonly position: string | null;
  readonly lagEvents: number;
}

/** Where every projection stands, read from the files: whether the service runs or not. */
const linesOf = (eventsFile: string, readModelsFile: string): Line[] => {
  const head = existsSync(eventsFile) ? readEmbeddedHead(eventsFile) : 0;
  const positions = existsSync(readModelsFile)
    ? readEmbeddedCheckpoints(readModelsFile)
    : new Map<string, string>();
  return projections.map(({ name, version }) => {
    const position = positions.get(name) ?? null;
    return { projection: name, version, position, lagEvents: Math.max(0, head - Number(position ?? 0)) };
  });
};

/** `hiring projections list`: a table, or JSON. */
export const listProjections = ({ json }: { readonly json?: true }): void => {
  const config = loadConfig(withEnvFile(process.env, process.cwd()));
  const lines = linesOf(config.eventStore.path, config.readModels.path);
  if (json) {
    process.stdout.write(`${JSON.stringify(lines, null, 2)}\n`);
    return;
  }
  const row = (name: string, version: string, position: string, lag: string) =>
    `${name.padEnd(26)}${version.padStart(7)}  ${position.padEnd(18)}${lag.padStart(10)}\n`;
  process.stdout.write(row('projection', 'version', 'position', 'lag'));
  for (const { projection, version, position, lagEvents } of lines)
    process.stdout.write(row(projection, String(version), position ?? '-', String(lagEvents)));
};
