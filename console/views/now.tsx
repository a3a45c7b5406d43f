import type { ComponentChildren } from 'preact';
import { bytesText } from '../../src/lib/bytes-text.ts';
import { api, bodyOf, type Failure, type Schemas } from '../api.ts';
import { addressOf } from '../address.ts';
import { Command, hiring } from '../command.tsx';
import { Shown, useLoaded } from '../loaded.tsx';
import { parkedIn, progressOf, pollMs, readOverview, underWay, type Overview } from '../projections.ts';
import { Age, durationText, Time } from '../time.tsx';

/** Something that needs somebody, or is under way; with the command that helps and the page where it is mended. */
interface Finding {
  readonly level: 'bad' | 'note';
  readonly text: ComponentChildren;
  readonly command: string;
  readonly address: string;
  readonly page: string;
}

const DAY_MS = 86_400_000;
const BACKUP_DAYS = 7;
const LOW_DISK = 0.1;
/** With every write a projection is behind for a moment. */
const LAGGING_EVENTS = 1_000;

const serviceFindings = ({ service }: Overview): Finding[] => [
  ...(service.status === 'ready'
    ? []
    : [
        {
          level: 'bad' as const,
          text: `The service is ${service.status}${service.reason === null ? '' : `: ${service.reason}`}`,
          command: hiring('doctor'),
          address: addressOf(['projections']),
          page: 'Projections',
        },
      ]),
  ...service.threads
    .filter(({ isAnswering }) => !isAnswering)
    .map(({ name }) => ({
      level: 'bad' as const,
      text: `The thread ${name} does not answer`,
      command: hiring('doctor'),
      address: addressOf(['audit']),
      page: 'Audit',
    })),
  ...(service.disk && service.disk.freeBytes / service.disk.totalBytes < LOW_DISK
    ? [
        {
          level: 'bad' as const,
          text: `Only ${bytesText(service.disk.freeBytes)} of ${bytesText(service.disk.totalBytes)} are free on the disk`,
          command: hiring('doctor'),
          address: addressOf(['projections']),
          page: 'Projections',
        },
      ]
    : []),
  ...(service.lastBackup && Date.now() - Date.parse(service.lastBackup.at) < BACKUP_DAYS * DAY_MS
    ? []
    : [
        {
          level: 'note' as const,
          text: service.lastBackup ? (
            <>
              The last backup is from <Age at={service.lastBackup.at} />
            </>
          ) : (
            'No backup is recorded'
          ),
          command: hiring('backup', '--to', 'backup.db'),
          address: addressOf(['audit']),
          page: 'Audit',
        },
      ]),
];

const projectionFindings = (overview: Overview): Finding[] =>
  overview.data.flatMap((projection) => {
    const { name, paused, live, builds } = projection;
    const at = { address: addressOf(['projections', name]), page: name };
    const served = builds.find(({ id }) => id === live);
    const lag = served?.lagEvents ?? 0;
    return [
      ...(live === null
        ? [
            {
              level: 'bad' as const,
              text: `${name} is not built yet`,
              command: hiring('projections', 'list'),
              ...at,
            },
          ]
        : []),
      ...(paused
        ? [
            {
              level: 'bad' as const,
              text: (
                <>
                  {name} is paused by {paused.by} since <Time at={paused.since} />
                </>
              ),
              command: hiring('projections', 'resume', name),
              ...at,
            },
          ]
        : []),
      ...(lag > LAGGING_EVENTS && !paused
        ? [
            {
              level: 'bad' as const,
              text: `${name} is ${lag.toLocaleString()} events behind`,
              command: hiring('projections', 'list', '--watch'),
              ...at,
            },
          ]
        : []),
      ...builds
        .filter(({ state }) => state === 'differs' || state === 'stopped')
        .map(({ id, state, stoppedBy }) => ({
          level: 'bad' as const,
          text:
            state === 'differs'
              ? `${id} differs from what is served`
              : `${id} has stopped: ${stoppedBy ?? ''}`,
          command: hiring('projections', 'cancel', name),
          ...at,
        })),
      ...underWay(projection).map((build) => {
        const progress = progressOf(build);
        const left = progress?.secondsLeft;
        return {
          level: 'note' as const,
          text: `${build.id} is ${build.step === 'verify' ? 'compared' : 'built'}: ${Math.floor((progress?.share ?? 0) * 100)} %${left === undefined ? '' : `, ${durationText(left)} left`}`,
          command: hiring('projections', 'list', '--watch'),
          ...at,
        };
      }),
    ];
  });

const parkedFindings = (overview: Overview): Finding[] => {
  const parked = parkedIn(overview);
  const [first] = parked;
  if (!first) return [];
  const count = parked.length === 1 ? '1 stream is parked' : `${parked.length} streams are parked`;
  return [
    {
      level: 'bad',
      text: `${count}, the first at ${first.parked.type}: ${first.parked.error}`,
      command: hiring('projections', 'retry', first.projection.name),
      address: addressOf(['parked']),
      page: 'Parked',
    },
  ];
};

const failedFindings = (acts: readonly Schemas['Act'][]): Finding[] =>
  acts
    // A statement that is refused is nothing to do.
    .filter(({ phase, operation }) => phase === 'failed' && operation !== 'statement')
    .slice(0, 5)
    .map(({ operation, actor, requestedAt, detail }) => ({
      level: 'note',
      text: (
        <>
          {operation} of {actor} failed <Age at={requestedAt} />
          {detail === null ? '' : `: ${detail}`}
        </>
      ),
      command: hiring('history', 'audit'),
      address: addressOf(['audit']),
      page: 'Audit',
    }));

/** What is not known is not green. */
const unknownActs = (failure: Failure | undefined): Finding[] =>
  failure
    ? [
        {
          level: 'bad',
          text: `Which acts of the last day have failed is not known: ${failure.message}`,
          command: hiring('history', 'audit'),
          address: addressOf(['audit']),
          page: 'Audit',
        },
      ]
    : [];

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
        {threads
          .map(({ name, isAnswering }) => `${name} ${isAnswering ? 'answers' : 'does not answer'}`)
          .join(', ')}
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
            {bytesText(disk.freeBytes)} of {bytesText(disk.totalBytes)} free
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
      <Shown of={overview}>
        {(now) => {
          const findings = [
            ...serviceFindings(now),
            ...projectionFindings(now),
            ...parkedFindings(now),
            ...unknownActs(acts.failure),
            ...failedFindings(acts.data?.data ?? []),
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
      </Shown>
      <Command line={hiring('doctor')} operation="GET /admin/projections" />
    </>
  );
};
