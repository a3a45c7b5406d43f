import { Type, type Static } from '../schema/typebox.ts';
import { defineEvent } from './events.ts';
import type { Decider } from './decider.ts';
import { Identifier, list, nullable, object, personal, text } from '../schema/schema.ts';

/** What operators and administrators do beside the domain, by name. */
const actOperations = [
  'init',
  'rebuild',
  'verify',
  'switch',
  'rollback',
  'cancel',
  'pause',
  'resume',
  'retry',
  'skip',
  'copy',
  'backup',
  'restore',
  'token',
  'personal-data',
  'statement',
] as const;
export type ActOperation = (typeof actOperations)[number];

export const ActPhase = Type.Enum(['requested', 'completed', 'failed']);
export type ActPhase = Static<typeof ActPhase>;

/** What an act was asked with, by name. It holds no secret: of a token the claims. */
export const ActParameters = Type.Record(
  Type.String(),
  Type.Union([text(2_000), Type.Number(), Type.Boolean(), list(text())]),
  { description: 'What was asked for, by name; no secret.' },
);
export type ActParameters = Static<typeof ActParameters>;

/** The longest detail of an act, in code points. */
export const MAX_DETAIL_LENGTH = 2_000;

export const OperatorActed = object({
  day: Type.String({
    pattern: '^\\d{4}-\\d{2}-\\d{2}$',
    says: 'must be a day like 2026-03-01',
    description: 'In UTC, on which the act was asked for.',
  }),
  actId: Identifier,
  // No enum: older code lists acts of newer code.
  operation: text(60, { minLength: 1, description: `${actOperations.join(', ')}.` }),
  // A reason is free text, and may name a person.
  parameters: personal(ActParameters, 'actId', 'parameters'),
  phase: ActPhase,
  detail: personal(
    nullable(text(MAX_DETAIL_LENGTH, { description: 'What came of it, or why it failed.' })),
    'actId',
    'detail',
  ),
});
export type OperatorActed = Static<typeof OperatorActed>;

export const OPERATOR_ACTED = 'OperatorActed';

export const auditEvents = [
  defineEvent(
    OPERATOR_ACTED,
    'An act beside the domain was asked for, or is over. The actor is in the metadata: an operator, an administrator, or the service itself (`switch`).',
    OperatorActed.properties,
  ),
] as const;

/** The acts of one day. No decision depends on earlier acts, so there is no state. */
export const auditDecider: Decider<null, typeof auditEvents> = {
  category: 'audit',
  events: auditEvents,
  initialState: null,
  evolve: () => null,
};
