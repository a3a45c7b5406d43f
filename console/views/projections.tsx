import { useRef } from 'preact/hooks';
import { addressOf } from '../address.ts';
import { EquivalentCommand, hiringCommand } from '../command.tsx';
import { LoadedContent, useLoaded } from '../loaded.tsx';
import {
  activeBuildOf,
  parkedStreamsIn,
  progressOf,
  pollMs,
  readOverview,
  stateTexts,
  buildsUnderWay,
  type Build,
} from '../projections.ts';
import { Table } from '../table.tsx';

const KEPT = 60;

/** The lag at the last looks, as a line: up is behind. */
const Trend = ({ lags }: { readonly lags: readonly number[] }) => {
  const most = Math.max(1, ...lags);
  const points = lags.map((lag, at) => `${(at / (KEPT - 1)) * 100},${19 - (lag / most) * 18}`).join(' ');
  return (
    <svg
      class="trend"
      viewBox="0 0 100 20"
      preserveAspectRatio="none"
      role="img"
      aria-label={`Lag at the last ${lags.length} looks, at most ${most}`}
    >
      <polyline points={points} />
    </svg>
  );
};

/** How far a build is. */
export const Progress = ({ build }: { readonly build: Build }) => {
  const progress = progressOf(build);
  if (!progress || (build.step !== 'build' && build.step !== 'verify')) return null;
  const { share, events, of, perSecond, secondsLeft } = progress;
  return (
    <span class="progress">
      <progress value={share} max={1} aria-label={`Progress of ${build.id}`} />
      <span>
        {Math.floor(share * 100)} %, {events.toLocaleString()} of {of.toLocaleString()},{' '}
        {Math.round(perSecond).toLocaleString()}/s
        {secondsLeft === undefined ? '' : `, ${secondsLeft} s left`}
      </span>
    </span>
  );
};

/** Where every projection stands. */
export const Projections = () => {
  const lags = useRef(new Map<string, number[]>());
  const overview = useLoaded(
    'projections',
    async (signal) => {
      const now = await readOverview(signal);
      for (const projection of now.data) {
        const kept = lags.current.get(projection.name) ?? [];
        kept.push(activeBuildOf(projection)?.lagEvents ?? 0);
        lags.current.set(projection.name, kept.slice(-KEPT));
      }
      return now;
    },
    pollMs,
  );
  return (
    <>
      <h1>Projections</h1>
      <LoadedContent of={overview}>
        {({ data }) => (
          <Table
            caption="Each with the build that is served"
            heads={['Projection', 'State', 'Position', 'Lag', 'Trend', 'Parked', 'Under way']}
            numbers={['Lag', 'Parked']}
          >
            {data.map((projection) => {
              const active = activeBuildOf(projection);
              const parked = parkedStreamsIn([projection]).length;
              return (
                <tr key={projection.name}>
                  <th scope="row">
                    <a href={addressOf(['projections', projection.name])}>{projection.name}</a>
                  </th>
                  <td>
                    {projection.paused
                      ? 'paused'
                      : active
                        ? `${stateTexts[active.state]}, version ${active.version}`
                        : 'not built'}
                  </td>
                  <td>{active?.position ?? '–'}</td>
                  <td class="number">{active?.lagEvents ?? '?'}</td>
                  <td>
                    <Trend lags={lags.current.get(projection.name) ?? []} />
                  </td>
                  <td class="number">{parked > 0 ? <a href={addressOf(['parked'])}>{parked}</a> : 0}</td>
                  <td>
                    {buildsUnderWay(projection).map((build) => (
                      <Progress key={build.id} build={build} />
                    ))}
                  </td>
                </tr>
              );
            })}
          </Table>
        )}
      </LoadedContent>
      <EquivalentCommand line={hiringCommand('projections', 'list')} operation="GET /admin/projections" />
    </>
  );
};
