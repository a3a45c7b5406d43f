import { Type, type Static } from '../src/schema/typebox.ts';
import { object } from '../src/schema/schema.ts';
import { parse } from '../src/schema/parse.ts';
import { Line, Sample, Target } from './figure.ts';

/** What was measured, as it is written as JSON: every sample, so that medians and ratios follow from it. */

const ContenderResult = object({ name: Type.String(), samples: Type.Array(Sample) });

export const FigureResult = object({
  name: Type.String(),
  contenders: Type.Array(ContenderResult),
  targets: Type.Array(Target),
  lines: Type.Array(Line),
});
export type FigureResult = Static<typeof FigureResult>;

/** Under what the figures of a group were measured. */
const Conditions = object({
  measuredOn: Type.String({ description: 'A date, UTC.' }),
  events: Type.Integer({ description: 'Of the largest world.' }),
  rounds: Type.Integer(),
  cores: Type.Integer(),
  memoryGiB: Type.Integer(),
  platform: Type.String(),
  node: Type.String(),
});
export type Conditions = Static<typeof Conditions>;

export const GroupResult = object({ name: Type.String(), conditions: Conditions, figures: Type.Array(FigureResult) });
export type GroupResult = Static<typeof GroupResult>;

export const Results = object({ groups: Type.Array(GroupResult) });
export type Results = Static<typeof Results>;

/** @throws Error that says what is wrong with the JSON */
export const parseResults = (json: string): Results => parse(Results, JSON.parse(json), 'results');

/** The newer results, and of the older ones those of groups that were not measured again. */
export const mergeResults = (older: Results, newer: Results, order: readonly string[]): Results => {
  const byName = new Map([...older.groups, ...newer.groups].map((group) => [group.name, group]));
  return { groups: order.flatMap((name) => byName.get(name) ?? []) };
};
