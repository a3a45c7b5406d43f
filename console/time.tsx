import { useEffect, useState } from 'preact/hooks';

const ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone;
const local = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });

/** `2026-03-02 09:06:00` of an RFC 3339 time, in UTC. */
const utcText = (at: string): string => new Date(at).toISOString().slice(0, 19).replace('T', ' ');

/** A time in UTC, with the reader's own beside it. */
export const Time = ({ at }: { readonly at: string }) => (
  <time dateTime={at} title={`${local.format(new Date(at))}, ${ZONE}`}>
    {utcText(at)} <span class="zone">UTC</span>
    {ZONE !== 'UTC' && <span class="local"> {local.format(new Date(at))}</span>}
  </time>
);

/** When an event was recorded and who acted, as far as it says; both continue a sentence. */
export const WhenAndWho = ({
  event: { recordedAt, actor },
}: {
  readonly event: { readonly recordedAt: string | null; readonly actor: string | null };
}) => (
  <>
    {recordedAt && (
      <>
        , <Time at={recordedAt} />
      </>
    )}
    {actor && `, by ${actor}`}
  </>
);

const UNITS: readonly (readonly [string, number])[] = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
];

/** `3 hours`, of seconds. */
export const durationText = (seconds: number): string => {
  const [unit, length] = UNITS.find(([, each]) => Math.abs(seconds) >= each) ?? ['second', 1];
  const count = Math.round(Math.abs(seconds) / length);
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
};

/** How long ago a time is, kept current. */
export const Age = ({ at }: { readonly at: string }) => {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 10_000);
    return () => clearInterval(timer);
  }, []);
  return (
    <time dateTime={at} title={`${utcText(at)} UTC`}>
      {durationText(Math.max(0, (now - Date.parse(at)) / 1_000))} ago
    </time>
  );
};
