import type { Static } from '../schema/typebox.ts';
import type { Entity } from '../domain/entity.ts';
import { momentText } from '../history/moment/moment.ts';
import { getEntityStory } from '../history/operations/entity-story.ts';
import { oneLine } from './parts/cli-error.ts';
import { given } from '../lib/given.ts';
import { askHistory } from './parts/history.ts';
import { cellOf, type AskedAt } from './parts/moments.ts';
import type { Screen } from './parts/table.ts';
import type { Terminal } from './parts/terminal.ts';
import { print, printJson } from './parts/print.ts';

type EntityEventShown = Static<typeof getEntityStory.answer>['events'][number];

/** The lines of an event: when, who, what and by which request, and its members. */
export const eventLines = (
  {
    recordedAt,
    actor,
    type,
    stream,
    position,
    requestId,
    unreadable,
  }: Omit<EntityEventShown, 'changes' | 'withheld'>,
  members: readonly string[],
): readonly string[] => [
  `${recordedAt ?? '-'}  ${actor ?? '-'}  ${type}  ${stream}  at ${position}, request ${requestId ?? '-'}`,
  ...(unreadable === undefined ? [] : [`    cannot be read: ${oneLine(unreadable)}`]),
  ...members,
];

const changeLines = ({ changes }: EntityEventShown, screen: Screen): readonly string[] =>
  changes.map(({ member, from, to }) => {
    const before = from === undefined ? '' : `${cellOf(from, screen)} -> `;
    return `    ${member}: ${before}${cellOf(to, screen)}`;
  });

/** `hiring history show`: the whole story of an entity, across all streams that name it. */
export const showEntity = async (
  terminal: Terminal,
  { kind, id }: Entity,
  { at, upTo, json, ...options }: AskedAt,
): Promise<void> => {
  const question = { params: { kind, id }, parameters: given({ at, upTo }) };
  const answer = await askHistory(terminal, getEntityStory, question, options);
  const { stdout } = terminal;
  if (json) {
    printJson(stdout, answer, 2);
    return;
  }
  const lines = answer.events.flatMap((event) => eventLines(event, changeLines(event, stdout)));
  print(stdout, [`${kind} ${id} at ${momentText(answer)}, by version ${answer.code}`, '', ...lines]);
};
