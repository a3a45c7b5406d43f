import type { ComponentChildren } from 'preact';
import { byteSizeText } from '../../src/lib/byte-size-text.ts';
import { api, bodyOf, type Schemas } from '../api.ts';
import { addressOf } from '../address.ts';
import { EquivalentCommand, hiringCommand } from '../command.tsx';
import { LoadedContent, useLoaded, type Loaded } from '../loaded.tsx';
import {
  activeBuildOf,
  parkedStreamsIn,
  progressOf,
  pollMs,
  readOverview,
  buildsUnderWay,
  type Overview,
  type ProjectionState,
} from '../projections.ts';
import { Age, durationText, Time } from '../time.tsx';

/** Something that needs somebody, or is under way; with the command that helps and the page where it is mended. */
interface Finding {
  readonly level: 'bad' | 'note';
  readonly text: ComponentChildren;
  readonly command: string;
  readonly address: string;
  readonly page: string;
}

const AUDIT = { address: addressOf(['audit']), page: 'Audit' };
const PROJECTIONS = { address: addressOf(['projections']), page: 'Projections' };

const DAY_MS = 86_400_000;
const BACKUP_DAYS = 7;
const LOW_DISK = 0.1;
/** With every write a projection is behind for a moment. */
const LAGGING_EVENTS = 1_000;

function* serviceFindings({ service }: Overview): Iterable<Finding> {
  const { status, reason, threads, disk, lastBackup } = service;
  const help = { level: 'bad', command: hiringCommand('doctor') } as const;
  if (status !== 'ready')
    yield { ...help, text: `The service is ${status}${reason === null ? '' : `: ${reason}`}`, ...PROJECTIONS };
  for (const { name, isAnswering } of threads)
    if (!isAnswering) yield { ...help, text: `The thread ${name} does not answer`, ...AUDIT };
  if (disk && disk.freeBytes / disk.totalBytes < LOW_DISK)
    yield {
      ...help,
      text: `Only ${byteSizeText(disk.freeBytes)} of ${byteSizeText(disk.totalBytes)} are free on the disk`,
      ...PROJECTIONS,
    };
  if (!(lastBackup && Date.now() - Date.parse(lastBackup.at) < BACKUP_DAYS * DAY_MS))
    yield {
      level: 'note',
      text: lastBackup ? (
        <>
          The last backup is from <Age at={lastBackup.at} />
        </>
      ) : (
        'No backup is recorded'
      ),
      command: hiringCommand('backup', '--to', 'backup.db'),
      ...AUDIT,
    };
}

function* projectionFindings(projection: ProjectionState): Iterable<Finding> {
  const { name, paused, live, builds } = projection;
  const command = (...words: readonly string[]) => ({
    command: hiringCommand('projections', ...words),
    address: addressOf(['projections', name]),
    page: name,
  });
  const lag = activeBuildOf(projection)?.lagEvents ?? 0;
  if (live === null) yield { level: 'bad', text: `${name} is not built yet`, ...command('list') };
  if (paused)
    yield {
      level: 'bad',
      text: (
        <>
          {name} is paused by {paused.by} since <Time at={paused.since} />
        </>
      ),
      ...command('resume', name),
    };
  else if (lag > LAGGING_EVENTS)
    yield { level: 'bad', text: `${name} is ${lag.toLocaleString()} events behind`, ...command('list', '--watch') };
  for (const { id, state, stoppedBy } of builds) {
    const cancel = { level: 'bad', ...command('cancel', name) } as const;
    if (state === 'differs') yield { ...cancel, text: `${id} differs from what is served` };
    if (state === 'stopped') yield { ...cancel, text: `${id} has stopped: ${stoppedBy ?? ''}` };
  }
  for (const build of buildsUnderWay(projection)) {
    const { share = 0, secondsLeft } = progressOf(build) ?? {};
    const left = secondsLeft === undefined ? '' : `, ${durationText(secondsLeft)} left`;
    yield {
      level: 'note',
      text: `${build.id} is ${build.step === 'verify' ? 'compared' : 'built'}: ${Math.floor(share * 100)} %${left}`,
      ...command('list', '--watch'),
    };
  }
}

function* parkedFindings({ data }: Overview): Iterable<Finding> {
  const parked = parkedStreamsIn(data);
  const [first] = parked;
  if (!first) return;
  const count = parked.length === 1 ? '1 stream is parked' : `${parked.length} streams are parked`;
  yield {
    level: 'bad',
    text: `${count}, the first at ${first.parked.type}: ${first.parked.error}`,
    command: hiringCommand('projections', 'retry', first.projection.name),
    address: addressOf(['parked']),
    page: 'Parked',
  };
}

function* actFindings({ data, failure }: Loaded<{ readonly data: readonly Schemas['Act'][] }>): Iterable<Finding> {
  const audit = { command: hiringCommand('history', 'audit'), ...AUDIT };
  // What is not known is not green.
  if (failure)
    yield { level: 'bad', text: `Which acts of the last day have failed is not known: ${failure.message}`, ...audit };
  // A statement that is refused is nothing to do.
  const failed = data?.data.filter(({ phase, operation }) => phase === 'failed' && operation !== 'statement');
  for (const { operation, actor, requestedAt, detail } of failed?.slice(0, 5) ?? [])
    yield {
      level: 'note',
      text: (
        <>
          {operation} of {actor} failed <Age at={requestedAt} />
          {detail === null ? '' : `: ${detail}`}
        </>
      ),
      ...audit,
    };
}

const Findings = ({ findings }: { readonly findings: readonly Finding[] }) => (
  <ul class="findings">
    {findings.map(({ level, text, command, address, page }, index) => (
      <li key={index} class={level}>
        <span class="mark">{level === 'bad' ? 'To do' : 'Note'}</span>
        <span>{text}</span>
        <code>{command}</code>
        <a href={address}>{page}</a>
      </li>
    ))}
  </ul>
);

const Service = ({ service }: Pick<Overview, 'service'>) => {
  const { startedAt, instance, threads, stores, head, disk, lastBackup } = service;
  return (
    <dl class="facts">
      <dt>Service</dt>
      <dd>
        {service.status}, {instance}, started <Age at={startedAt} />
      </dd>
      <dt>Threads</dt>
      <dd>
        {threads.map(({ name, isAnswering }) => `${name} ${isAnswering ? 'answers' : 'does not answer'}`).join(', ')}
      </dd>
      <dt>Event log</dt>
      <dd>
        {stores.eventStore}, up to {head ?? 'an unknown position'}
      </dd>
      <dt>Read models</dt>
      <dd>{stores.readModels}</dd>
      {disk && (
        <>
          <dt>Disk</dt>
          <dd>
            {byteSizeText(disk.freeBytes)} of {byteSizeText(disk.totalBytes)} free
          </dd>
        </>
      )}
      <dt>Last backup</dt>
      <dd>
        {lastBackup ? (
          <>
            <Time at={lastBackup.at} /> by {lastBackup.actor}
          </>
        ) : (
          'none is recorded'
        )}
      </dd>
    </dl>
  );
};

/** Whether all is well, and if not what to do. */
export const Now = () => {
  const overview = useLoaded('now', readOverview, pollMs);
  const acts = useLoaded(
    'acts',
    (signal) =>
      bodyOf(
        api.GET('/admin/audit', {
          signal,
          params: { query: { since: new Date(Date.now() - DAY_MS).toISOString(), pageSize: 100 } },
        }),
      ),
    60_000,
  );
  const isHeard = overview.failure === undefined;
  return (
    <>
      <LoadedContent of={overview}>
        {(now) => {
          const findings = [
            ...serviceFindings(now),
            ...now.data.flatMap((projection) => [...projectionFindings(projection)]),
            ...parkedFindings(now),
            ...actFindings(acts),
          ].sort((a, b) => Number(b.level === 'bad') - Number(a.level === 'bad'));
          const bad = findings.filter(({ level }) => level === 'bad').length;
          const heading = !isHeard
            ? 'The service was not heard'
            : bad === 0
              ? 'All is well'
              : `${bad} ${bad === 1 ? 'thing needs' : 'things need'} you`;
          return (
            <>
              <div role="status">
                <h1 class={!isHeard || bad > 0 ? 'bad' : 'well'}>{heading}</h1>
              </div>
              {findings.length > 0 && <Findings findings={findings} />}
              <Service service={now.service} />
            </>
          );
        }}
      </LoadedContent>
      <EquivalentCommand line={hiringCommand('doctor')} operation="GET /admin/projections" />
    </>
  );
};
