import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { START_POSITION, type EventStore, type Position } from '../../../src/event-store/port.ts';
import { openEventStore } from '../../../src/stores.ts';
import { endLeftServices, runCli, serveHere, type Serving } from '../../support/cli.ts';
import { bodies, claims, ids } from '../../support/examples.ts';
import { storeWith, type Fact } from '../../support/facts.ts';
import { configured, processKeys, sendTo } from '../../support/process.ts';
import { newServerStores } from '../../support/servers.ts';
import { tokenFor, untilReady } from '../../support/service.ts';
import { threadsHere } from '../../support/threads-here.ts';

export type Body = Record<string, unknown>;
type NewServers = () => ReturnType<typeof newServerStores>;
type Servers = NonNullable<ReturnType<NewServers>>;

const variablesOf = ({ stores: { eventStore, readModels } }: Servers): Readonly<Record<string, string>> =>
  eventStore.kind === 'eventstoredb' && readModels.kind === 'mongodb'
    ? { EVENT_STORE_URL: eventStore.url, EVENT_STORE_PREFIX: eventStore.prefix, READ_MODEL_URL: readModels.url }
    : {};

/** Acts on a running service; gives the body and the position of a write. */
const actingOn = (service: Serving) => {
  let token = '';
  return async (as: keyof typeof claims | undefined, method: string, path: string, body?: unknown) => {
    const headers = method === 'GET' ? { 'Consistency-Token': token } : undefined;
    const answer = await sendTo(service, method, path, { as, body, ...(headers && { headers }) });
    expect(answer.status, JSON.stringify(answer.body)).to.be.lessThan(300);
    token = answer.headers.get('Consistency-Token') ?? token;
    return { position: token, body: (answer.body ?? {}) as Body };
  };
};

/** Where the history of a suite is, and who is asked about it. */
export interface HistoryPlace {
  /** Left out: on files. */
  readonly newServers?: NewServers;
  /** Whether the service is asked, and not the stores. */
  readonly isServiceAsked?: boolean;
  /** Whether all tests of the suite have one store: those that change nothing. */
  readonly isShared?: boolean;
}

/** How far a command is, which only a slow machine is told. */
const PROGRESS = /^hiring: .* events (?:applied|copied|read)\b.*\n/gm;

/** What a service is asked with: personal data by an administrator, all else by an analyst. */
const credentialsFor = async (args: readonly string[]) => ({
  HIRING_API_KEY: processKeys.client,
  HIRING_TOKEN: await tokenFor(args.includes('--personal-data') ? claims.admin : claims.analyst),
});

/** A store of its own for each test of a suite, or one for all, and what is done with it. */
export const historyStage = ({
  newServers = () => undefined,
  isServiceAsked = false,
  isShared = false,
}: HistoryPlace = {}) => {
  const [begin, end] = isShared ? [before, after] : [beforeEach, afterEach];
  let directory = '';
  let environment: Readonly<Record<string, string>> = configured;
  let servers: Servers | undefined;
  let url = '';
  const toNewServers = () => {
    servers = newServers();
    environment = { ...configured, XDG_CACHE_HOME: directory, ...(servers && variablesOf(servers)) };
  };
  begin(async () => {
    directory = await mkdtemp(join(tmpdir(), 'hiring-history-'));
    toNewServers();
  });
  end(async () => {
    await endLeftServices();
    await servers?.drop();
    await rm(directory, { recursive: true });
  });
  const serve = async (): Promise<Serving> => {
    const service = await serveHere(directory, environment);
    ({ url } = service);
    await untilReady(url);
    return service;
  };
  /** The event log, while no service has it. */
  const usingLog = async <Result>(use: (log: EventStore) => Promise<Result>): Promise<Result> => {
    const file = { kind: 'sqlite', path: join(directory, 'events.db') } as const;
    const log = await openEventStore(servers?.stores.eventStore ?? file, { startWriter: threadsHere.writer });
    try {
      return await use(log);
    } finally {
      await log.close();
    }
  };
  /** Runs a command; how far it was is left out of what it says. */
  const ran = async (where: string, args: readonly string[], variables: Readonly<Record<string, string>>) => {
    const { stderr, ...told } = await runCli(where, ['history', ...args], variables);
    return { ...told, stderr: stderr.replaceAll(PROGRESS, '') };
  };
  const askStores = (...args: readonly string[]) => ran(directory, args, environment);
  const askAt = async (service: string, ...args: readonly string[]) => {
    const elsewhere = join(directory, 'elsewhere');
    await mkdir(elsewhere, { recursive: true });
    return ran(elsewhere, [...args, '--from', service], { XDG_CACHE_HOME: elsewhere, ...(await credentialsFor(args)) });
  };
  return {
    directory: () => directory,
    serve,
    usingLog,
    /** Adds events to the event log. */
    given: (facts: readonly Fact[]) => usingLog((log) => storeWith(facts, log)),
    /** Of all events, in their order. */
    positions: (): Promise<readonly Position[]> =>
      usingLog(async (log) => (await log.readAll(START_POSITION, 10_000)).map(({ position }) => position)),
    /** Puts an empty event log in the place of this one. */
    replaceLog: async () => {
      await servers?.drop();
      toNewServers();
      // Read models and build registry are of the event log.
      const stored = (await readdir(directory)).filter((name) => /\.db(?:[.-]|$)/.test(name));
      for (const name of stored) await rm(join(directory, name), { force: true });
    },
    /** Where the service is. */
    url: () => url,
    history: (...args: readonly string[]) =>
      !isServiceAsked || args[0] === 'audit' ? askStores(...args) : askAt(url, ...args),
    /** The command asks the stores, wherever others ask. */
    historyOfStores: askStores,
    /** The command asks a service, from where there are no stores. */
    historyAt: askAt,
    /** A professional applies to a posting, and is hired: what the office is shown before and after. */
    applyAndHire: async () => {
      const service = await serve();
      const act = actingOn(service);
      const list = `/postings/${ids.posting}/candidates`;
      await act(undefined, 'PUT', `/internal/offices/${ids.office}`, bodies.office);
      await act(undefined, 'PUT', `/internal/professionals/${ids.professional}`, bodies.professional);
      const posted = await act(undefined, 'PUT', `/internal/postings/${ids.posting}`, bodies.posting);
      const applied = await act('professional', 'POST', list, bodies.application);
      const before = await act('office', 'GET', list);
      const candidate = String(applied.body['id']);
      const hired = await act('office', 'PATCH', `${list}/${candidate}`, { officeStatus: 'hired' });
      const after = await act('office', 'GET', list);
      return { service, act, candidate, posted, applied, hired, before: before.body, after: after.body };
    },
  };
};
