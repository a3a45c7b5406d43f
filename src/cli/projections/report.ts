import { isProvenSame, type Verification } from '../../builds/build-schema.ts';
import type { BuildOutcome } from '../../builds/progress-lines.ts';

const verificationLines = ({
  position,
  live,
  built,
  total,
  uncompared = 0,
  differences,
}: Verification): readonly string[] => {
  const left =
    uncompared > 0
      ? [`  ${uncompared} documents could not be compared, as both builds did not stand at one position in time`]
      : [];
  if (total === 0 && uncompared > 0) return left;
  if (total === 0) return [`  the same at position ${position}: ${built} documents`];
  const lines = differences.flatMap(({ collection, id, isIn, fields }) =>
    isIn === 'both'
      ? fields.map(
          ({ path, live: ours, built: theirs }) =>
            `  ${collection} ${id} ${path}: ${ours} is served, ${theirs} was built`,
        )
      : [`  ${collection} ${id}: only in what ${isIn === 'live' ? 'is served' : 'was built'}`],
  );
  const more = total > differences.length ? [`  and ${total - differences.length} more documents`] : [];
  return [
    `  ${total} documents differ at position ${position} (${live} are served, ${built} were built):`,
    ...lines,
    ...more,
    ...left,
  ];
};

const headOf = (name: string, outcome: BuildOutcome): string => {
  switch (outcome.kind) {
    case 'served':
      return `${name}: rebuilt and served`;
    case 'compared':
      return `${name}: compared with a rebuild${outcome.report.total > 0 ? `; hiring projections rebuild ${name} --approve serves what the events say` : ''}`;
    case 'differs':
      return `${name}: rebuilt, and not served because it ${outcome.report.total > 0 ? 'differs' : 'could not be compared'}; serve it with --approve, or give it up with cancel`;
    case 'stopped':
      return `${name}: stopped, what is served stays: ${outcome.reason}`;
    case 'cancelled':
      return `${name}: given up by an operator`;
  }
};

/** How a build came out, for a person. */
export const outcomeLines = (name: string, outcome: BuildOutcome): readonly string[] => {
  const report = 'report' in outcome ? outcome.report : undefined;
  return [headOf(name, outcome), ...(report ? verificationLines(report) : [])];
};

/** Whether a build came out as it should. */
export const isBuildSuccessful = (outcome: BuildOutcome): boolean =>
  outcome.kind === 'served' || (outcome.kind === 'compared' && isProvenSame(outcome.report));
