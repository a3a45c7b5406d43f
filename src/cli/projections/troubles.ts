import { numberOfBuild } from '../../projector/build-id.ts';
import type { ListedBuild } from './listed-builds.ts';

/** What of a build needs an operator, and the command that helps. */
interface Trouble {
  readonly text: string;
  readonly help: string;
}

/** A rollback is meant for a while: the newer build that it has taken out of service is deleted one day. */
const isNewerKept = ({ projection, version, build, state }: ListedBuild, other: ListedBuild): boolean =>
  build !== null &&
  other.build !== null &&
  state === 'live' &&
  other.state === 'kept' &&
  other.projection === projection &&
  other.version === version &&
  numberOfBuild(other.build) > numberOfBuild(build);

function* troublesOf(line: ListedBuild, builds: readonly ListedBuild[]): Generator<Trouble, void> {
  const { projection, build, state, stoppedBy, pausedSince, pausedBy, quarantined } = line;
  const name = build ?? projection;
  if (pausedSince !== null && state === 'live')
    yield {
      text: `${projection} is paused since ${pausedSince} by ${pausedBy ?? 'somebody'}`,
      help: `hiring projections resume ${projection}`,
    };
  if (stoppedBy !== null)
    yield {
      text: `${name} has stopped: ${stoppedBy}`,
      help: `after a fix hiring projections rebuild ${projection}, or hiring projections cancel ${projection}`,
    };
  if (state === 'differs')
    yield {
      text: `${name} differs from what is served`,
      help: `hiring projections rebuild ${projection} --approve, or hiring projections cancel ${projection}`,
    };
  const newer = builds.find((other) => isNewerKept(line, other))?.build;
  if (newer != null)
    yield {
      text: `${name} is served since a rollback, and the newer ${newer} is kept beside it`,
      help: `hiring projections verify ${projection} tells whether ${name} is right; hiring projections rollback ${projection} --to ${newer} goes forward again`,
    };
  const [first] = quarantined;
  if (first) {
    const { stream, type, position, error } = first;
    const { length } = quarantined;
    const which = length === 1 ? '1 stream is parked,' : `${length} streams are parked, the first of them`;
    yield {
      text: `${name}: ${which} ${stream} at ${type} at ${position}: ${error}`,
      help: `after a fix hiring projections retry ${projection}, or hiring projections skip ${projection} ${stream}`,
    };
  }
}

/** What of some builds needs an operator; nothing of sound ones. */
export const troublesIn = (builds: readonly ListedBuild[]): readonly Trouble[] =>
  builds.flatMap((line) => [...troublesOf(line, builds)]);
