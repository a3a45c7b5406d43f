import { audit } from '../streams/audit.ts';
import { candidate } from './candidate.ts';
import { notices } from './notices.ts';
import { office } from './office.ts';
import { phone } from './phone.ts';
import { posting } from './posting.ts';
import { professional } from './professional.ts';
import { review } from './review.ts';
import { savedPostings } from './saved-postings.ts';
import { specialty } from './specialty.ts';
import { user } from './user.ts';
import { webhooks } from '../streams/webhooks.ts';
import { decoder } from '../streams/decode.ts';
import type { EventOf } from '../streams/events.ts';

export const deciders = [
  user,
  phone,
  notices,
  professional,
  office,
  posting,
  candidate,
  savedPostings,
  specialty,
  review,
  webhooks,
  audit,
] as const;

export const categories = deciders.map(({ category }) => category);

export const eventDefinitions = deciders.flatMap(
  ({ events }) => [...events] as (typeof deciders)[number]['events'][number][],
);

/** Any event of the event log, as projections apply it. */
export type DomainEvent = EventOf<(typeof deciders)[number]['events'][number]>;
/** The event of a type. */
export type NamedEvent<Type extends DomainEvent['type']> = Extract<DomainEvent, { type: Type }>;

export const decode = decoder(eventDefinitions);
