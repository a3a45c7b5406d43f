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

/** What of a build needs an operator; nothing of a sound one. */
export const troublesOf = (line: ListedBuild): readonly Trouble[] => {
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
    ...parkedTrouble(line),
  ];
};
