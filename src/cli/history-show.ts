import type { MomentAsked } from '../history/moment/moment.ts';
import { storyOf, type EntityEvent } from '../history/find/story.ts';
import type { Entity } from '../domain/entity.ts';
import { codeVersion } from './parts/code-version.ts';
import { oneLine } from './parts/cli-error.ts';
import { momentText, now, withHistory } from './parts/history.ts';
import { cellOf, memberName } from './parts/moments.ts';
import type { PersonalOptions } from './parts/personal-data.ts';
import type { Terminal } from './parts/terminal.ts';

export interface ShowOptions extends PersonalOptions {
  /** Left out: now. */
  readonly at?: MomentAsked;
  readonly json?: true;
}

/** An event as a line that says when, who, what and by which request, and a line for each member that it changed. */
const linesOf = (event: EntityEvent): readonly string[] => {
  const { recordedAt, actor, type, stream, position, requestId, unreadable, changes } = event;
  return [
    `${recordedAt ?? '-'}  ${actor ?? '-'}  ${type}  ${stream}  at ${position}, request ${requestId ?? '-'}`,
    ...(unreadable === undefined ? [] : [`    cannot be read: ${oneLine(unreadable)}`]),
    ...changes.map(({ path, from, to }) => {
      const before = from === undefined ? '' : `${cellOf(from)} -> `;
      return `    ${memberName(path)}: ${before}${cellOf(to)}`;
    }),
  ];
};

/** `hiring history show`: the whole story of an entity, across all streams that name it. */
export const showEntity = (
  terminal: Terminal,
  { kind, id }: Entity,
  { at = now, json, ...personal }: ShowOptions,
): Promise<void> =>
  withHistory(
    terminal,
    { command: 'show', parameters: { of: `${kind} ${id}` } },
    personal,
    async ({ source, mask, momentOf }) => {
      const moment = await momentOf(at);
      const events = await storyOf(source, { kind, id }, moment, mask);
      const code = codeVersion();
      const { stdout } = terminal;
      if (json) {
        const shown = events.map(({ changes, ...event }) => ({
          ...event,
          changes: changes.map(({ path, ...change }) => ({ member: memberName(path), ...change })),
        }));
        stdout.write(`${JSON.stringify({ kind, id, code, ...moment, events: shown }, null, 2)}\n`);
        return;
      }
      stdout.write(`${kind} ${id} at ${momentText(moment)}, by version ${code}\n\n`);
      const lines = events.length > 0 ? events.flatMap(linesOf) : ['no event names it'];
      stdout.write(lines.map((line) => `${line}\n`).join(''));
    },
  );
