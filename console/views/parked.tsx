import { omitUndefined } from '../../src/lib/omit-undefined.ts';
import { addressOf } from '../address.ts';
import { EquivalentCommand, hiringCommand } from '../command.tsx';
import { useConfirmedAction } from '../dialog.tsx';
import { findEvents } from '../events.ts';
import { JsonTree } from '../json.tsx';
import { LazyDetails, LoadedContent, useLoaded } from '../loaded.tsx';
import {
  projectionOperations,
  parkedStreamsIn,
  pollMs,
  readOverview,
  type ParkedStreamInBuild,
} from '../projections.ts';
import { useMayChange } from '../session.tsx';
import { Time } from '../time.tsx';

/** The event at which a stream is parked: the last one of the stream up to its position. */
const ParkedEventJson = ({ stream, position }: { readonly stream: string; readonly position: string }) => {
  const query = { stream, to: position, newest: true, limit: 1 };
  const event = useLoaded(`${stream} ${position}`, (signal) => findEvents(query, signal));
  return (
    <LoadedContent of={event}>
      {([found]) => (found ? <JsonTree value={found} /> : <p>The event is not found.</p>)}
    </LoadedContent>
  );
};

const ParkedStreamItem = ({
  found: { projection, build, parked },
  acts,
}: {
  readonly found: ParkedStreamInBuild;
  readonly acts: preact.ComponentChildren;
}) => (
  <li>
    <h2>{parked.stream}</h2>
    <p>
      Parked at <strong>{parked.type}</strong> at {parked.position} in{' '}
      <a href={addressOf(['projections', projection.name])}>{build.id}</a>, <Time at={parked.at} />
      {parked.request !== 'none' && `; ${parked.request} is under way`}
    </p>
    <p class="failure">{parked.error}</p>
    {acts}
    <LazyDetails summary="Event">
      {() => <ParkedEventJson stream={parked.stream} position={parked.position} />}
    </LazyDetails>
    <details>
      <summary>Stack</summary>
      <pre>{parked.stack}</pre>
    </details>
  </li>
);

/** Streams at an event that cannot be applied, over all projections, and what to do about them. */
export const Parked = () => {
  const mayChange = useMayChange();
  const overview = useLoaded('parked', readOverview, pollMs);
  const { button, dialog } = useConfirmedAction(overview.reload);

  const skip = (name: string, stream: string, reason?: string) =>
    projectionOperations(name).skip({ confirm: name, stream, ...omitUndefined({ reason }) });

  return (
    <>
      <h1>Parked streams</h1>
      {dialog}
      <LoadedContent of={overview}>
        {({ data }) => {
          const found = parkedStreamsIn(data);
          if (found.length === 0) return <p class={overview.failure ? undefined : 'well'}>Nothing is parked.</p>;
          const names = [...new Set(found.map(({ projection }) => projection.name))];
          return (
            <>
              <p>
                A stream is parked where an event of it cannot be applied; the others go on. After a fix retry it, or
                skip the event.
              </p>
              {mayChange && (
                <p class="buttons">
                  {button({
                    title: 'Retry all parked streams',
                    about: `All ${found.length} are applied again, in ${names.join(', ')}.`,
                    button: 'Retry all',
                    run: () => Promise.all(names.map((name) => projectionOperations(name).retry({}))),
                  })}
                  {button({
                    title: 'Skip the events of all parked streams',
                    about: `${found.length} events are left out of what is served until the next rebuild. Later events of their streams are applied.`,
                    name: 'skip all',
                    button: 'Skip all',
                    run: async (reason) => {
                      for (const { projection, parked } of found) await skip(projection.name, parked.stream, reason);
                    },
                  })}
                </p>
              )}
              <ul class="parked">
                {found.map((each) => {
                  const { projection, build, parked } = each;
                  const acts = mayChange && (
                    <p class="buttons">
                      {button({
                        title: `Retry ${parked.stream} in ${projection.name}`,
                        about:
                          'It is applied again from the event on. Where that fails, it is parked again, with the time of this try.',
                        button: 'Retry',
                        run: () => projectionOperations(projection.name).retry({ stream: parked.stream }),
                      })}
                      {button({
                        title: `Skip ${parked.type} of ${parked.stream} in ${projection.name}`,
                        about:
                          'The event is left out of what is served until the next rebuild. Later events of the stream are applied.',
                        name: projection.name,
                        button: 'Skip',
                        run: (reason) => skip(projection.name, parked.stream, reason),
                      })}
                    </p>
                  );
                  return <ParkedStreamItem key={`${build.id} ${parked.stream}`} found={each} acts={acts} />;
                })}
              </ul>
            </>
          );
        }}
      </LoadedContent>
      <EquivalentCommand
        line={hiringCommand('projections', 'retry', '--all')}
        operation="POST /admin/projections/{name}/retry"
      />
    </>
  );
};
