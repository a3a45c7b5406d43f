import { omitUndefined } from '../../src/lib/omit-undefined.ts';
import { api, allLines } from '../api.ts';
import { addressOf } from '../address.ts';
import { Command, hiring } from '../command.tsx';
import { useAct } from '../dialog.tsx';
import { toEvent } from '../events.ts';
import { Json } from '../json.tsx';
import { Opened, Shown, useLoaded } from '../loaded.tsx';
import { actsOn, parkedIn, pollMs, readOverview, type ParkedIn } from '../projections.ts';
import { useMayChange } from '../session.tsx';
import { Time } from '../time.tsx';

/** The event at which a stream is parked: the last one of the stream up to its position. */
const Payload = ({ stream, position }: { readonly stream: string; readonly position: string }) => {
  const query = { stream, to: position, newest: true, limit: 1 };
  const event = useLoaded(`${stream} ${position}`, (signal) =>
    allLines(api.GET('/history/events', { signal, params: { query }, parseAs: 'stream' }), toEvent),
  );
  return (
    <Shown of={event}>{([found]) => (found ? <Json value={found} /> : <p>The event is not found.</p>)}</Shown>
  );
};

const Stream = ({
  found: { projection, build, parked },
  acts,
}: {
  readonly found: ParkedIn;
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
    <Opened summary="Event">{() => <Payload stream={parked.stream} position={parked.position} />}</Opened>
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
  const { button, dialog } = useAct(overview.reload);

  const skip = (name: string, stream: string, reason?: string) =>
    actsOn(name).skip({ confirm: name, stream, ...omitUndefined({ reason }) });

  return (
    <>
      <h1>Parked streams</h1>
      {dialog}
      <Shown of={overview}>
        {(now) => {
          const found = parkedIn(now);
          if (found.length === 0)
            return <p class={overview.failure ? undefined : 'well'}>Nothing is parked.</p>;
          const names = [...new Set(found.map(({ projection }) => projection.name))];
          return (
            <>
              <p>
                A stream is parked where an event of it cannot be applied; the others go on. After a fix retry
                it, or skip the event.
              </p>
              {mayChange && (
                <p class="buttons">
                  {button({
                    title: 'Retry all parked streams',
                    about: `All ${found.length} are applied again, in ${names.join(', ')}.`,
                    button: 'Retry all',
                    run: () => Promise.all(names.map((name) => actsOn(name).retry({}))),
                  })}
                  {button({
                    title: 'Skip the events of all parked streams',
                    about: `${found.length} events are left out of what is served until the next rebuild. Later events of their streams are applied.`,
                    name: 'skip all',
                    button: 'Skip all',
                    run: async (reason) => {
                      for (const { projection, parked } of found)
                        await skip(projection.name, parked.stream, reason);
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
                        run: () => actsOn(projection.name).retry({ stream: parked.stream }),
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
                  return <Stream key={`${build.id} ${parked.stream}`} found={each} acts={acts} />;
                })}
              </ul>
            </>
          );
        }}
      </Shown>
      <Command
        line={hiring('projections', 'retry', '--all')}
        operation="POST /admin/projections/{name}/retry"
      />
    </>
  );
};
