import { useState } from 'preact/hooks';
import { omitUndefined } from '../../src/lib/omit-undefined.ts';
import { api, bodyOf, type Schemas } from '../api.ts';
import { addressOf } from '../address.ts';
import { EquivalentCommand, hiringCommand } from '../command.tsx';
import { useConfirmedAction } from '../dialog.tsx';
import { LoadedContent, useLoaded } from '../loaded.tsx';
import {
  parkedStreamsIn,
  projectionOperations,
  pollMs,
  readOverview,
  stateTexts,
  buildsUnderWay,
  type ProjectionState,
} from '../projections.ts';
import { useMayChange } from '../session.tsx';
import { Table } from '../table.tsx';
import { countText } from '../text.ts';
import { durationText, Time } from '../time.tsx';
import { Progress } from './projections.tsx';

/** What of two builds differs, side by side. */
const Differences = ({
  differences,
  total,
}: {
  readonly differences: readonly Schemas['DocumentDifference'][];
  readonly total: number;
}) => (
  <Table
    caption={
      <>
        {countText(total, 'document')} that {total === 1 ? 'differs' : 'differ'}
        {total > differences.length && `, of which these are the first ${differences.length}`}
      </>
    }
    heads={['Document', 'Member', 'Is served', 'Was built']}
  >
    {differences.flatMap(({ collection, id, isIn, fields }) =>
      isIn === 'both'
        ? fields.map(({ path, live, built }) => (
            <tr key={`${collection} ${id} ${path}`}>
              <th scope="row">
                {collection} {id}
              </th>
              <td>{path}</td>
              <td class="gone">{live}</td>
              <td class="added">{built}</td>
            </tr>
          ))
        : [
            <tr key={`${collection} ${id}`}>
              <th scope="row">
                {collection} {id}
              </th>
              <td>all</td>
              <td class="gone">{isIn === 'live' ? 'is there' : '–'}</td>
              <td class="added">{isIn === 'built' ? 'is there' : '–'}</td>
            </tr>,
          ],
    )}
  </Table>
);

/** What the last comparison has found, also where its build is dropped by now. */
const LastComparison = ({ build, report }: Schemas['VerifiedBuild']) => {
  const { at, position, live, total, uncompared = 0, differences } = report;
  return (
    <section>
      <h2>The last comparison</h2>
      <p>
        {build} was compared with what was served at position {position}, <Time at={at} />.{' '}
        {total === 0 && uncompared === 0 && `Both have the same ${countText(live, 'document')}.`}
        {uncompared > 0 && `${countText(uncompared, 'document')} could not be compared at one position; compare again.`}
      </p>
      {total > 0 && <Differences differences={differences} total={total} />}
    </section>
  );
};

const Builds = ({ projection }: { readonly projection: ProjectionState }) => (
  <Table
    caption="Builds"
    heads={['Build', 'State', 'Begun', 'Position', 'Lag', 'Instance', 'Progress']}
    numbers={['Lag']}
  >
    {projection.builds.map((build) => (
      <tr key={build.id}>
        <th scope="row">{build.id}</th>
        <td>
          {stateTexts[build.state]}
          {build.purpose === 'check' && ', to be compared only'}
          {build.stoppedBy !== null && `: ${build.stoppedBy}`}
          {build.keptUntil !== null && (
            <>
              {' '}
              until <Time at={build.keptUntil} />
            </>
          )}
        </td>
        <td>
          <Time at={build.startedAt} />
        </td>
        <td>{build.position ?? '–'}</td>
        <td class="number">{build.lagEvents ?? '?'}</td>
        <td>{build.lease?.holder ?? ''}</td>
        <td>
          <Progress build={build} />
        </td>
      </tr>
    ))}
  </Table>
);

const DryRun = ({ name }: { readonly name: string }) => {
  const plan = useLoaded(`plan ${name}`, (signal) =>
    bodyOf(api.GET('/admin/projections/{name}/plan', { signal, params: { path: { name } } })),
  );
  return (
    <LoadedContent of={plan}>
      {({ version, live, events, seconds }) => (
        <p>
          A rebuild applies {events.toLocaleString()} events as version {version} beside {live ?? 'nothing'}
          {seconds === null ? ', for an unknown time' : `, for about ${durationText(seconds)}`}. What is served stays,
          and is replaced only where both are the same. To see first which documents differ, compare.
        </p>
      )}
    </LoadedContent>
  );
};

/** One projection: its builds, and what an operator may do about them. */
export const Projection = ({ name }: { readonly name: string }) => {
  const mayChange = useMayChange();
  const overview = useLoaded('projections', readOverview, pollMs);
  const { button, dialog } = useConfirmedAction(overview.reload);
  const [throttle, setThrottle] = useState('');
  const acts = projectionOperations(name);
  const limit = throttle === '' ? {} : { throttle: Number(throttle) };

  const confirmed = (reason?: string) => ({ confirm: name, ...omitUndefined({ reason }) });

  // A function and no component: a new component with each answer would lose the focus each time.
  const buttonsOf = (projection: ProjectionState) => {
    const isUnderWay = buildsUnderWay(projection).length > 0;
    const waiting = projection.builds.find(({ state }) => state === 'differs' || state === 'stopped');
    const kept = projection.builds.find(({ state }) => state === 'kept');
    return (
      <p class="buttons">
        {button({
          title: `Rebuild ${name}`,
          about: <DryRun name={name} />,
          name,
          button: 'Rebuild',
          run: (reason) => acts.rebuild({ ...confirmed(reason), ...limit }),
        })}
        {button({
          title: `Compare ${name}`,
          about: 'It is built anew beside what is served, compared, and dropped. Nothing that is served changes.',
          button: 'Compare',
          run: () => acts.verify(limit),
        })}
        {waiting?.state === 'differs' &&
          button({
            title: `Serve ${waiting.id}`,
            about: 'It is served although it differs. What is served now is kept, and a rollback brings it back.',
            name,
            button: 'Promote',
            run: (reason) => acts.rebuild({ ...confirmed(reason), approve: true }),
          })}
        {(isUnderWay || waiting) &&
          button({
            title: `Cancel the build of ${name}`,
            about: 'The build is given up. What is served stays.',
            name,
            button: 'Cancel the build',
            run: (reason) => acts.cancel(confirmed(reason)),
          })}
        {kept &&
          button({
            title: `Roll ${name} back`,
            about: `${kept.id} is served again in the place of ${projection.live ?? 'nothing'}, which stays as a kept build.`,
            name,
            button: 'Roll back',
            run: (reason) => acts.rollBack({ ...confirmed(reason), to: kept.id }),
          })}
        {projection.paused
          ? button({
              title: `Resume ${name}`,
              about: 'Events are applied again, from where it was paused.',
              button: 'Resume',
              run: acts.resume,
            })
          : button({
              title: `Pause ${name}`,
              about: 'No instance applies events to it until it is resumed. Lists stay as they are meanwhile.',
              name,
              button: 'Pause',
              run: (reason) => acts.pause(confirmed(reason)),
            })}
        <label class="inline">
          <span>Events a second at most</span>
          <input type="number" min={1} value={throttle} onInput={(event) => setThrottle(event.currentTarget.value)} />
        </label>
      </p>
    );
  };

  return (
    <>
      <h1>{name}</h1>
      {dialog}
      <LoadedContent of={overview}>
        {({ data }) => {
          const projection = data.find((each) => each.name === name);
          if (!projection)
            return (
              <p>
                There is no such projection. <a href={addressOf(['projections'])}>All projections</a>
              </p>
            );
          const parked = parkedStreamsIn([projection]).length;
          return (
            <>
              {projection.paused && (
                <p class="failure">
                  Paused by {projection.paused.by} since <Time at={projection.paused.since} />
                </p>
              )}
              {mayChange && buttonsOf(projection)}
              <Builds projection={projection} />
              {parked > 0 && (
                <p>
                  <a href={addressOf(['parked'])}>{countText(parked, 'parked stream')}</a>
                </p>
              )}
              {projection.verified && <LastComparison {...projection.verified} />}
            </>
          );
        }}
      </LoadedContent>
      <EquivalentCommand
        line={hiringCommand('projections', 'rebuild', name, '--dry-run')}
        operation={`GET /admin/projections/${name}/plan`}
      />
    </>
  );
};
