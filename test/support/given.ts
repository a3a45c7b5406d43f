import { expect } from 'chai';
import { actorOf } from '../../src/access/access.ts';
import type { Command } from '../../src/application/command.ts';
import { DomainError, type DomainErrorReason } from '../../src/errors/domain-error.ts';
import type { CommandReply } from '../../src/application/handle-command.ts';
import { times } from './examples.ts';
import { storeWith, type Fact } from './facts.ts';
import { callerOf, handlerOn, REQUEST_ID, send, type Request } from './sending.ts';

const settled = async (reply: Promise<CommandReply>): Promise<CommandReply | DomainError> => {
  try {
    return await reply;
  } catch (error) {
    if (error instanceof DomainError) return error;
    throw error;
  }
};

export type Reply = Omit<CommandReply, 'position'>;
export const noContent: Reply = { status: 204 };

/** Given events, when a command comes, then it appends these events: through the real command handler. */
export const given = (...facts: readonly Fact[]) => ({
  when: (command: Command, request: Request) => {
    const run = async () => {
      const store = await storeWith(facts);
      const before = await store.head();
      const outcome = await settled(send(handlerOn(store), command, request));
      const appended = (await store.readAll(before, 1_000)).map(({ stream, type, version, data, metadata }) => ({
        stream,
        type,
        version,
        data,
        metadata,
      }));
      return { outcome, appended, head: await store.head() };
    };
    const metadata = {
      $correlationId: REQUEST_ID,
      $causationId: REQUEST_ID,
      actor: actorOf(callerOf(command, request)),
      requestId: REQUEST_ID,
      recordedAt: request.at ?? times.now,
    };
    /** Times of a stream never go back. */
    const metadataIn = (stream: string) => {
      const { recordedAt: clockAt } = metadata;
      const times = facts.filter((fact) => fact.stream === stream).map((fact) => fact.at);
      const recordedAt = times.reduce((latest, at) => (at > latest ? at : latest), clockAt);
      return recordedAt === clockAt ? metadata : { ...metadata, recordedAt, clockAt };
    };
    const stamped = (events: readonly Fact[]) =>
      events.map(({ stream, type, version, data }) => ({ stream, type, version, data, metadata: metadataIn(stream) }));
    const accepted = (outcome: CommandReply | DomainError): CommandReply =>
      outcome instanceof DomainError ? expect.fail(`It was refused: ${outcome.reason}: ${outcome.message}`) : outcome;

    return {
      /** Exactly these events are appended, in this order, and this is the reply. */
      async then(events: readonly Fact[], expected: Reply): Promise<void> {
        const { outcome, appended, head } = await run();
        const { position, ...reply } = accepted(outcome);
        expect(appended).to.deep.equal(stamped(events));
        expect(reply).to.deep.equal(expected);
        expect(position).to.equal(head);
      },
      /** The command succeeds and appends nothing. */
      async thenNothing(expected: Reply = noContent): Promise<void> {
        const { outcome, appended } = await run();
        const { position: _position, ...reply } = accepted(outcome);
        expect(appended).to.deep.equal([]);
        expect(reply).to.deep.equal(expected);
      },
      /** The command is refused, and appends nothing but the events of the refusal itself. */
      async thenRefused(
        reason: DomainErrorReason,
        message: string,
        { events = [], retryAfter }: { readonly events?: readonly Fact[]; readonly retryAfter?: number } = {},
      ): Promise<void> {
        const { outcome, appended } = await run();
        if (!(outcome instanceof DomainError)) return expect.fail(`It was accepted with ${outcome.status}`);
        const told = { reason: outcome.reason, message: outcome.message, retryAfter: outcome.retryAfter };
        expect(told).to.deep.equal({ reason, message, retryAfter });
        expect(appended).to.deep.equal(stamped(events));
      },
    };
  },
});
