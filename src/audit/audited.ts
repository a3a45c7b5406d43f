import { createRepository } from '../application/repository.ts';
import { createEventMetadataFactory } from '../application/event-metadata-factory.ts';
import { createTransact, sleep } from '../application/transact.ts';
import {
  auditDecider,
  MAX_DETAIL_LENGTH,
  OPERATOR_ACTED,
  OperatorActed,
  type ActParameters,
  type ActPhase,
  type ActOperation,
} from '../streams/audit.ts';
import { streamOf } from '../streams/decider.ts';
import { DomainError, invalid } from '../errors/domain-error.ts';
import { LogUnavailableError, type EventLog } from '../event-store/port.ts';
import { isAllVisible } from '../lib/escape-invisible.ts';
import { systemClock } from '../ports/clock.ts';
import { failureName } from '../ports/failure-name.ts';
import { randomIdAndCodeGenerator } from '../ports/id-and-code-generator.ts';
import type { Ports } from '../ports/index.ts';
import { createValidator } from '../schema/validation.ts';

/** An act could not be recorded. The message says whether it was done. */
export class ActNotRecordedError extends LogUnavailableError {}

export interface AuditedAct {
  readonly operation: ActOperation;
  readonly parameters: ActParameters;
}

interface ActInitiator {
  readonly actor: string;
  readonly requestId?: string;
}

/**
 * Runs an act between two events `OperatorActed`: `requested`, and `completed` or `failed`.
 *
 * @param perform is given the name of the stream that holds both events
 * @param detailOf what came of the act, for its last event
 * @throws ActNotRecordedError where the first event cannot be stored, and nothing is done then; and where the last one
 *   cannot
 * @throws DomainError for parameters that no event can hold, and nothing is done then
 * @throws what `perform` throws, once that is recorded: a refusal with its message, any other error by its name
 */
export type RunAudited = <T>(
  act: AuditedAct,
  perform: (stream: string) => Promise<T>,
  detailOf?: (result: T) => string | null,
) => Promise<T>;

/** Creates the function that runs the acts of an actor. */
export type Audit = (by: ActInitiator) => RunAudited;

const checkData = createValidator(OperatorActed, 'the act');

const clipped = (detail: string | null): string | null =>
  detail && Array.from(detail).slice(0, MAX_DETAIL_LENGTH).join('');

const failureReasonOf = (error: unknown): string =>
  error instanceof DomainError ? error.message : `an error: ${failureName(error)}`;

/** Records acts in an event log, beside whichever process appends to it. */
export const createAudit = (
  log: Pick<EventLog, 'append' | 'readStream'>,
  { clock, ids }: Pick<Ports, 'clock' | 'ids'> = { clock: systemClock, ids: randomIdAndCodeGenerator },
): Audit => {
  const transact = createTransact(log, createRepository(log), sleep);

  return ({ actor, requestId }) =>
    async <T>(
      act: AuditedAct,
      perform: (stream: string) => Promise<T>,
      detailOf: (result: T) => string | null = () => null,
    ): Promise<T> => {
      const actId = ids.uuid();
      // Its last event is in the stream of its first one, whatever the time is then.
      const day = clock().toISOString().slice(0, 10);
      const stamp = createEventMetadataFactory(actor, requestId ?? actId, { clock, ids });
      const dataOf = (phase: ActPhase, detail: string | null): OperatorActed => ({
        day,
        actId,
        ...act,
        phase,
        detail: clipped(detail),
      });
      const record = async (phase: ActPhase, detail: string | null, failure: string): Promise<void> => {
        const event = { type: OPERATOR_ACTED, data: dataOf(phase, detail) } as const;
        try {
          await transact({ decider: auditDecider, id: day, decide: () => [event], outcome: () => null, stamp });
        } catch (error) {
          throw new ActNotRecordedError(failure, { cause: error });
        }
      };

      const checked = checkData(dataOf('requested', null));
      if (!checked.ok) throw invalid(checked.message);
      for (const [name, value] of Object.entries(act.parameters))
        if (![value].flat().every((each) => isAllVisible(String(each))))
          throw invalid(`the act/parameters/${name} must not contain control or bidirectional characters`);
      await record('requested', null, 'who does this cannot be recorded, so nothing was done');
      let result: T;
      try {
        result = await perform(streamOf(auditDecider, day));
      } catch (error) {
        const reason = failureReasonOf(error);
        await record('failed', reason, `this failed, which cannot be recorded: ${reason}`);
        throw error;
      }
      await record('completed', detailOf(result), 'this was done, which cannot be recorded');
      return result;
    };
};
