import { Type, type Static } from '../../schema/typebox.ts';
import { analyst } from '../../access/access.ts';
import { eventDefinitions } from '../../domain/index.ts';
import { readabilityBy } from '../../domain/readability.ts';
import { ForeignEvent } from '../../event-store/foreign-event.ts';
import { codeVersion } from '../../lib/code-version.ts';
import { nullable, object } from '../../schema/schema.ts';
import { defineHistoryOperation } from './operation.ts';
import { momentAsked, momentParameter, MomentShown } from './shapes.ts';

const PlaceShown = object({ position: Type.String(), recordedAt: nullable(Type.String()) });

/** The events of one type and version. */
export const EventTypeShown = object({
  type: Type.String(),
  version: Type.Integer({ description: 'As recorded.' }),
  events: Type.Integer({ description: 'How many there are.' }),
  first: PlaceShown,
  last: PlaceShown,
  reading: Type.Enum(['readable', 'upcast', 'newer', 'no-upcaster', 'unknown-type'], {
    description: 'Whether and how this code reads them.',
  }),
  codeVersion: nullable(Type.Integer({ description: 'The newest version that this code knows.' })),
});
export type EventTypeShown = Static<typeof EventTypeShown>;

const readabilityOf = readabilityBy(eventDefinitions);

export const getEventTypes = defineHistoryOperation({
  name: 'getEventTypes',
  summary: 'Show which versions of which types of events there are, and whether this code can read them',
  command: 'types',
  path: '/history/types',
  access: analyst,
  params: object({}),
  parameters: object({ at: Type.Optional(momentParameter('As it was at it; default: now')) }),
  answer: object({
    code: Type.String({ description: 'The version of the code.' }),
    ...MomentShown.properties,
    types: Type.Array(EventTypeShown),
    foreign: Type.Optional(
      Type.String({
        description: 'Names the first event that this service cannot have written; no types are shown then.',
      }),
    ),
  }),
  async ask({ parameters: { at } }, opened) {
    const moment = await momentAsked(opened, at, 'at');
    const { log, signal } = opened.source;
    const made = { code: codeVersion(), ...moment };
    try {
      const counts = await log.countTypes(moment.position, signal);
      return {
        ...made,
        types: counts.map((count) => ({ ...count, ...readabilityOf(count.type, count.version) })),
      };
    } catch (error) {
      if (!(error instanceof ForeignEvent)) throw error;
      return { ...made, types: [], foreign: error.message };
    }
  },
});
