import { Type, type Static } from '../../schema/typebox.ts';
import { analystAccess } from '../../access/access.ts';
import { entityKinds } from '../../domain/entity.ts';
import { readPackageVersion } from '../../lib/package-version.ts';
import { omitUndefined } from '../../lib/omit-undefined.ts';
import { oneLine } from '../../lib/escape-invisible.ts';
import { Identifier, object } from '../../schema/schema.ts';
import { unknownEntityError } from '../moment/entity-events.ts';
import { readEntityStory } from '../moment/story.ts';
import { Moment, momentText, logRangeBetween } from '../moment/moment.ts';
import { eventMemberSchemas, eventNoteSchemas } from '../moment/history-event.ts';
import { defineHistoryOperation } from './operation.ts';
import { AnyJsonSchema, atParameters, memberName, requestedMoment } from './shapes.ts';

const EntityEventShown = object(
  {
    ...eventMemberSchemas,
    ...eventNoteSchemas,
    changes: Type.Array(
      object(
        { member: Type.String(), from: Type.Optional(AnyJsonSchema), to: Type.Optional(AnyJsonSchema) },
        { title: 'MemberChange' },
      ),
      { description: 'Members that no earlier event of its stream had, or had with another value.' },
    ),
  },
  { title: 'EntityEvent' },
);

/** The lines of an event: when, who, what and by which request, and its members. */
export const formatEventLines = (
  event: Omit<Static<typeof EntityEventShown>, 'changes' | 'withheld'>,
  members: readonly string[],
): readonly string[] => {
  const { recordedAt, actor, type, stream, position, requestId, unreadable } = event;
  return [
    `${recordedAt ?? '-'}  ${actor ?? '-'}  ${type}  ${stream}  at ${position}, request ${requestId ?? '-'}`,
    ...(unreadable === undefined ? [] : [`    cannot be read: ${oneLine(unreadable)}`]),
    ...members,
  ];
};

export const getEntityStory = defineHistoryOperation({
  name: 'getEntityStory',
  summary: 'Show the whole story of an entity: when, who, what changed, by which request',
  command: 'show',
  path: '/history/entities/:kind/:id',
  access: analystAccess,
  refusals: ['not-found'],
  params: object({
    kind: Type.Enum([...entityKinds], { title: 'EntityKind' }),
    id: { ...Identifier, description: 'Its id.' },
  }),
  parameters: atParameters,
  answer: object(
    {
      kind: Type.String(),
      id: Type.String(),
      code: Type.String({ description: 'The version of the code.' }),
      ...Moment.properties,
      events: Type.Array(EntityEventShown),
    },
    { title: 'EntityStory' },
  ),
  async ask({ params: entity, parameters }, opened) {
    const moment = await requestedMoment(opened, parameters);
    const events = await readEntityStory(opened.source, entity, moment, opened.mask);
    if (events.length === 0) throw await unknownEntityError(opened.source, entity, logRangeBetween(null, moment));
    return {
      ...entity,
      code: readPackageVersion(),
      ...moment,
      events: events.map(({ changes, ...event }) => ({
        ...event,
        changes: changes.map(({ path, from, to }) => ({ member: memberName(path), ...omitUndefined({ from, to }) })),
      })),
    };
  },
  text: ({ kind, id, code, events, ...moment }, show) => ({
    title: `${kind} ${id} at ${momentText(moment)}, by version ${code}`,
    lines: events.flatMap((event) =>
      formatEventLines(
        event,
        event.changes.map(({ member, from, to }) => {
          const before = from === undefined ? '' : `${show(from)} -> `;
          return `    ${member}: ${before}${show(to)}`;
        }),
      ),
    ),
  }),
});
