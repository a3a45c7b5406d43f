import { existsSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { App } from '../app/create-app.ts';
import type { Config } from '../config/config.ts';
import { OPERATOR_ACTED } from '../streams/audit.ts';
import { START_POSITION } from '../event-store/port.ts';
import { holdsDemoCredential } from '../config/demo.ts';
import { hasCode } from '../lib/error.ts';
import { writeFileAtomically } from '../lib/files.ts';
import { createLogger } from '../monitoring/logger.ts';
import { createDemoInstructions } from './demo-instructions.ts';
import { CliError } from './parts/cli-error.ts';
import { dataDirectoriesOf } from './parts/data-directories.ts';
import { noteOwner } from './parts/data-directory.ts';
import { openApp } from './parts/open-app.ts';
import { loadTerminalConfig, type Terminal } from './parts/terminal.ts';
import { seedDemo } from './seed.ts';
import { print } from './parts/print.ts';

/** `hiring serve`: runs the service until a signal, and then finishes what is in flight. */
export const serve = async (terminal: Terminal): Promise<void> => {
  const config = loadTerminalConfig(terminal);
  const logger = createLogger({ level: config.logLevel, destination: await terminal.openLog() });
  if (!config.isDemo && holdsDemoCredential(config))
    logger.warn('A credential of the demo, which everyone can read, is in force');
  const stopped = terminal.nextSignal();
  const { stopSeconds } = config;
  let open: App['open'] = () => ['the start'];
  const endLate = (): void => {
    const [waitsFor, ...others] = open();
    logger.error({ stopSeconds, waitsFor, open: others }, 'The stop has not ended in time, and the process ends now');
    terminal.endNow();
  };
  let late: NodeJS.Timeout | undefined;
  void stopped.then(() => (late = setTimeout(endLate, stopSeconds * 1_000).unref()));
  const app = await openApp(terminal, config, logger);
  open = () => app.open();
  try {
    // Servers are never filled unasked.
    const { eventStore } = config.stores;
    if (config.isDemo && eventStore.kind === 'sqlite') await seedOnce(app, eventStore.path);
    const { url } = await listenOn(app, config);
    for (const directory of dataDirectoriesOf(Object.values(config.stores)).keys()) noteOwner(directory, url);
    logger.info({ url }, 'listening');
    if (config.isDemo) print(terminal.stdout, (await createDemoInstructions(url, config)).split('\n'));
    logger.info({ signal: await Promise.race([stopped, app.refused]) }, 'stopping');
  } finally {
    await app.stop();
    clearTimeout(late);
  }
};

/** More acts than operators do before the first start. */
const MAX_ACTS = 1_000;

/** Whether an event log holds nothing, or only what operators did: a token issued before the first start. */
const isUnused = async ({ eventStore }: App): Promise<boolean> =>
  (await eventStore.readAll(START_POSITION, MAX_ACTS)).every(({ type }) => type === OPERATOR_ACTED);

/** Fills an unused event log with the demo's world, or completes what an earlier start left half-way. */
const seedOnce = async (app: App, path: string): Promise<void> => {
  const unfinished = join(dirname(path), 'demo-unfinished');
  if (!(await isUnused(app)) && !existsSync(unfinished)) return;
  writeFileAtomically(unfinished, '');
  await seedDemo(app);
  rmSync(unfinished);
};

const CANNOT_LISTEN = ['EADDRINUSE', 'EACCES', 'EADDRNOTAVAIL', 'ENOTFOUND'];

const listenOn = async (app: App, { host, port }: Config) => {
  try {
    return await app.listen(host, port);
  } catch (error) {
    if (!hasCode(error, ...CANNOT_LISTEN)) throw error;
    const taken = 'port' in error && typeof error.port === 'number' ? error.port : port;
    const names = taken === port ? 'HOST and PORT' : 'HOST and METRICS_PORT';
    throw new CliError(
      `${names} name ${host}:${taken}, where the service cannot listen now (${error.code}); allowed: a free port of this machine`,
    );
  }
};
