import { setImmediate as turn } from 'node:timers/promises';
import { expect } from 'chai';
import { recordOffice } from '../../commands/offices/record-office.ts';
import { recordProfessional } from '../../commands/professionals/record-professional.ts';
import { issuePhoneCode } from '../../commands/users/issue-phone-code.ts';
import type { Command } from '../../src/application/command.ts';
import type { Preconditions } from '../../src/application/preconditions.ts';
import { DomainError, unavailable } from '../../src/errors/domain-error.ts';
import { START_POSITION, type EventStore, type Position } from '../../src/event-store/port.ts';
import { userNamed } from '../commands/known.ts';
import { bodies, ids, phoneNumbers } from '../support/examples.ts';
import { storeWith } from '../support/facts.ts';
import { openMemoryEventStore } from '../support/memory-stores.ts';
import { refusalOf } from '../support/refusal-of.ts';
import { handlerOn, keyed, replayed, send, type Request } from '../support/sending.ts';

/** Names what a read-back shows once it has come to a position. */
const etagOf = (position: Position): string => `"${position}"`;
const etagAt = (position: Position) => Promise.resolve(etagOf(position));

const named = (officeName: string, preconditions?: Preconditions): Request => ({
  params: { id: ids.office },
  body: { ...bodies.office, officeName },
  preconditions,
});

describe('A command with preconditions', () => {
  let store: EventStore;
  /** What a client has read. */
  let etag: string;
  const types = async () => (await store.readAll(START_POSITION, 100)).map(({ type }) => type);
  const given = async (...names: readonly string[]) => {
    const handle = handlerOn(store);
    for (const name of names) await send(handle, recordOffice, named(name));
    etag = etagOf(await store.head());
  };

  beforeEach(() => {
    store = openMemoryEventStore();
  });

  it('is carried out once, where six with one ETag reach three instances at once', async () => {
    await given('One');
    const instances = [handlerOn(store), handlerOn(store), handlerOn(store)];
    const outcomes = await Promise.allSettled(
      [...instances, ...instances].map((handle, number) =>
        send(handle, recordOffice, named(`Office ${number}`, { ifMatch: [etag], etagAt })),
      ),
    );
    const refusals = outcomes.flatMap((each) => (each.status === 'rejected' ? [each.reason as unknown] : []));
    expect(refusals.map((reason) => reason instanceof DomainError && reason.reason)).to.deep.equal(
      Array.from({ length: 5 }, () => 'precondition-failed'),
    );
    expect(await types()).to.deep.equal(['OfficeRecorded', 'OfficeRecorded']);
  });

  it('has the answer of the first, where the same request under its key has succeeded elsewhere meanwhile', async () => {
    await given('One');
    const request = keyed(named('Two', { ifMatch: [etag], etagAt }));
    // This instance looks the key up just before another appends.
    let isFirst = true;
    const late: EventStore = {
      ...store,
      async findIdempotencyRecord(...args) {
        const found = await store.findIdempotencyRecord(...args);
        if (isFirst) {
          isFirst = false;
          await send(handlerOn(store), recordOffice, request);
        }
        return found;
      },
    };
    expect((await send(handlerOn(late), recordOffice, request)).status).to.equal(204);
    expect(await types()).to.deep.equal(['OfficeRecorded', 'OfficeRecorded']);
  });

  it('is compared with what another instance has appended since', async () => {
    await given('One');
    const remembering = handlerOn(store);
    await send(remembering, recordOffice, named('Two'));
    const before = etagOf(await store.head());
    await given('Three');
    const stale = send(remembering, recordOffice, named('Four', { ifMatch: [before], etagAt }));
    expect(await refusalOf(stale)).to.include({ reason: 'precondition-failed' });
    await send(remembering, recordOffice, named('Four', { ifMatch: [etag], etagAt }));
  });

  it('is compared anew where another write came while the read-back was awaited', async () => {
    await given('One');
    const between = async (position: Position) => {
      if (etagOf(position) === etag) await send(handlerOn(store), recordOffice, named('Between'));
      return etagOf(position);
    };
    const late = send(handlerOn(store), recordOffice, named('Late', { ifMatch: [etag], etagAt: between }));
    expect(await refusalOf(late)).to.include({ reason: 'precondition-failed' });
    expect(await types()).to.have.length(2);
  });

  it('lets others on its stream pass while it waits for the read-back', async () => {
    await given('One');
    const handle = handlerOn(store);
    let show: (etag: string) => void = () => undefined;
    const waiting = new Promise<string>((resolve) => (show = resolve));
    const refused = refusalOf(send(handle, recordOffice, named('Waits', { ifMatch: [etag], etagAt: () => waiting })));
    await turn();
    await send(handle, recordOffice, named('Passes'));
    show('"another"');
    expect(await refused).to.include({ reason: 'precondition-failed' });
  });

  it('is refused as the read-back is, where that does not show the last event in time', async () => {
    await given('One');
    const preconditions = { ifMatch: [etag], etagAt: () => Promise.reject(unavailable('Not yet', 1)) };
    expect(await refusalOf(send(handlerOn(store), recordOffice, named('Two', preconditions)))).to.include({
      reason: 'unavailable',
      retryAfter: 1,
    });
  });

  it('reads nothing back for *, nor where nothing is there', async () => {
    const unread = () => Promise.reject(new Error('Nothing is to be read back'));
    const any = { etagAt: unread, ifNoneMatch: '*' } as const;
    await send(handlerOn(store), recordOffice, named('One', any));
    await send(handlerOn(store), recordOffice, named('Two', { etagAt: unread, ifMatch: '*' }));
    expect(await refusalOf(send(handlerOn(store), recordOffice, named('Three', any)))).to.include({
      reason: 'precondition-failed',
    });
  });

  it('has its answer again under its key, though they hold no longer', async () => {
    await given('One');
    const request = keyed(named('Two', { ifMatch: [etag], etagAt }));
    const handle = handlerOn(store);
    const first = await send(handle, recordOffice, request);
    expect(await send(handle, recordOffice, request)).to.deep.equal(replayed(first));
    expect(await types()).to.have.length(2);
  });

  describe('is refused before it has an effect:', () => {
    const profile: Request = { params: { id: ids.professional }, body: bodies.professional };
    const code: Request = { as: 'professional', body: { phoneNumber: phoneNumbers.wanted } };
    const cases: readonly (readonly [string, Command, Request])[] = [
      ['another stream is written', recordProfessional, profile],
      ['a code is sent', issuePhoneCode, code],
    ];
    for (const [what, command, request] of cases)
      it(what, async () => {
        const sent: string[] = [];
        const ports = { codes: (_to: unknown, text: string) => Promise.resolve(void sent.push(text)) };
        const refused = send(handlerOn(store), command, { ...request, ports, preconditions: { ifMatch: '*' } });
        expect(await refusalOf(refused)).to.include({ reason: 'precondition-failed' });
        expect([await types(), sent]).to.deep.equal([[], []]);
      });

    it('and not after it', async () => {
      await storeWith([userNamed], store);
      const known = { ...code, preconditions: { ifMatch: '*' } } as const;
      expect(await send(handlerOn(store), issuePhoneCode, known)).to.include({ status: 202 });
      const empty = openMemoryEventStore();
      const unknown = { ...code, preconditions: { ifNoneMatch: '*' } } as const;
      expect(await send(handlerOn(empty), issuePhoneCode, unknown)).to.include({ status: 202 });
    });
  });
});
