import { expect } from 'chai';
import { LogUnavailableError, NO_STREAM, START_POSITION, type AppendRequest } from '../../src/event-store/port.ts';
import { LogRefusedError } from '../../src/log-identity/admit-log.ts';
import { beginLog } from '../../src/log-identity/begin.ts';
import { guardLog, type GuardOptions } from '../../src/log-identity/guard.ts';
import { newEvent } from '../contract/new-events.ts';
import { memoryLog, openMemoryEventStore } from '../support/memory-stores.ts';

describe('An event log on a server that may not answer at the start', () => {
  const append: AppendRequest = { stream: 'a-1', expectedRevision: NO_STREAM, events: [newEvent()] };
  let refused: LogRefusedError[];
  let guarded: ReturnType<typeof guardLog> | undefined;
  const guard = (options: Partial<GuardOptions>) => {
    refused = [];
    return (guarded = guardLog(openMemoryEventStore(memoryLog()), {
      admit: () => Promise.resolve(),
      isConfigured: () => Promise.resolve(false),
      onRefused: (error) => refused.push(error),
      ...options,
    }));
  };
  afterEach(() => guarded?.stop());
  const failureOf = (appending: Promise<unknown>) => appending.then(() => undefined).catch((error: unknown) => error);

  it('is appended to once it is admitted', async () => {
    let answer: () => void = () => undefined;
    const { eventStore } = guard({
      admit: () =>
        new Promise((resolve) => {
          answer = resolve;
        }),
    });
    const appending = eventStore.append(append);
    expect(await eventStore.head()).to.equal(START_POSITION);
    answer();
    expect(await appending).to.have.property('kind', 'appended');
  });

  it('is begun once by two instances that start at the same time', async () => {
    const log = memoryLog();
    const begun = await Promise.allSettled(['a', 'b'].map((actor) => beginLog(openMemoryEventStore(log), actor)));
    expect(begun.map(({ status }) => status).sort()).to.deep.equal(['fulfilled', 'rejected']);
    expect(log.events.map(({ data }) => data['phase'])).to.deep.equal(['requested', 'completed']);
  });

  it('is not appended to while it holds nothing, and cannot be compared', async () => {
    const { eventStore } = guard({ admit: () => Promise.reject(new Error('no answer')) });
    expect(await failureOf(eventStore.append(append))).to.be.instanceOf(LogUnavailableError);
    expect(await eventStore.head()).to.equal(START_POSITION);
  });

  it('is appended to where it is the configured one, though what was made from it cannot be reached', async () => {
    const { eventStore } = guard({
      admit: () => Promise.reject(new Error('no answer')),
      isConfigured: () => Promise.resolve(true),
    });
    expect(await eventStore.append(append)).to.have.property('kind', 'appended');
  });

  it('is refused once, and appended to no more, also where it was admitted before', async () => {
    let isAnother = false;
    const { eventStore, lookAgain } = guard({
      admit: () => (isAnother ? Promise.reject(new LogRefusedError('another')) : Promise.resolve()),
    });
    expect(await eventStore.append(append)).to.have.property('kind', 'appended');
    isAnother = true;
    lookAgain();
    await Promise.resolve();
    const head = await eventStore.head();
    const failure = await failureOf(eventStore.append({ ...append, stream: 'a-2' }));
    expect(failure).to.be.instanceOf(LogUnavailableError);
    expect(refused.map(({ message }) => message)).to.deep.equal(['another']);
    expect(await eventStore.head()).to.equal(head);
  });
});
