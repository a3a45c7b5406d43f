import { numberOfBuild } from '../../projector/build-id.ts';
import type { ListedBuild } from './listed-builds.ts';

/** What of a build needs an operator, and the command that helps. */
export interface Trouble {
  readonly text: string;
  readonly help: string;
}

const parkedTrouble = ({ projection, build, quarantined }: ListedBuild): Trouble[] => {
  const [first] = quarantined;
  if (!first) return [];
  const count = quarantined.length === 1 ? '1 stream is' : `${quarantined.length} streams are`;
  const { stream, type, position, error } = first;
  const which = quarantined.length === 1 ? '' : 'the first of them ';
  return [
    {
      text: `${build ?? projection}: ${count} parked, ${which}${stream} at ${type} at ${position}: ${error}`,
      help: `after a fix hiring projections retry ${projection}, or hiring projections skip ${projection} ${stream}`,
    },
  ];
};

/** A rollback is meant for a while: the newer build that it has taken out of service is deleted one day. */
const rolledBackTrouble = (
  { projection, version, build, state }: ListedBuild,
  builds: readonly ListedBuild[],
): Trouble[] => {
  if (build === null || state !== 'live') return [];
  const newer = builds.find(
    (each) =>
      each.projection === projection &&
      each.version === version &&
      each.state === 'kept' &&
      each.build !== null &&
      numberOfBuild(each.build) > numberOfBuild(build),
  );
  if (!newer?.build) return [];
  return [
    {
      text: `${build} is served since a rollback, and the newer ${newer.build} is kept beside it`,
      help: `hiring projections verify ${projection} tells whether ${build} is right; hiring projections rollback ${projection} --to ${newer.build} goes forward again`,
    },
  ];
};

const troublesOf = (line: ListedBuild, builds: readonly ListedBuild[]): readonly Trouble[] => {
  const { projection, build, state, stoppedBy, pausedSince, pausedBy } = line;
  const name = build ?? projection;
  return [
    ...(pausedSince !== null && state === 'live'
      ? [
          {
            text: `${projection} is paused since ${pausedSince} by ${pausedBy ?? 'somebody'}`,
            help: `hiring projections resume ${projection}`,
          },
        ]
      : []),
    ...(stoppedBy === null
      ? []
      : [
          {
            text: `${name} has stopped: ${stoppedBy}`,
            help: `after a fix hiring projections rebuild ${projection}, or hiring projections cancel ${projection}`,
          },
        ]),
    ...(state === 'differs'
      ? [
          {
            text: `${name} differs from what is served`,
            help: `hiring projections rebuild ${projection} --approve, or hiring projections cancel ${projection}`,
          },
        ]
      : []),
    ...rolledBackTrouble(line, builds),
    ...parkedTrouble(line),
  ];
};

/** What of some builds needs an operator; nothing of sound ones. */
export const troublesIn = (builds: readonly ListedBuild[]): readonly Trouble[] =>
  builds.flatMap((line) => troublesOf(line, builds));
