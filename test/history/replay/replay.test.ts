import { expect } from 'chai';
import fc from 'fast-check';
import { professionalDecider } from '../../../src/domain/professional.ts';
import { START_POSITION } from '../../../src/event-store/port.ts';
import { maskBy } from '../../../src/history/moment/mask.ts';
import { bodies } from '../../support/examples.ts';
import { on, storeWith } from '../../support/facts.ts';
import { choices, histories, interleave } from '../../support/history.ts';
import { logOf } from '../../projections/applying.ts';
import { logWith } from '../moment/stage.ts';
import { counting, replayed, replayOf } from './replaying.ts';
import { replayWorld } from './world.ts';
import { messageOf } from '../../support/refusal-of.ts';

const share = fc.integer({ min: 0, max: 1_000 });
const someTypes = fc.option(
  fc.subarray(['CandidateApplied', 'PostingSaved', 'ReviewPosted', 'ProfessionalRecorded'], { minLength: 1 }),
  { nil: undefined },
);

const recorded = on(
  professionalDecider,
  'ann',
)({ type: 'ProfessionalRecorded', data: { professionalId: 'ann', ...bodies.professional } });

describe('A replay', () => {
  it('gives its handlers each event between two moments once, as a plain count of them does', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.tuple(histories, choices).map(([history, order]) => logOf(interleave(history, order)).events),
        fc.tuple(share, share),
        someTypes,
        fc.boolean(),
        async (events, shares, types, isOfOneStream) => {
          const [first = 0, last = 0] = shares
            .map((each) => Math.round((events.length * each) / 1_000))
            .sort((a, b) => a - b);
          const stream = isOfOneStream ? events[0]?.stream : undefined;
          const expected: Record<string, number> = {};
          for (const event of events.slice(first, last))
            if ((types?.includes(event.type) ?? true) && event.stream === (stream ?? event.stream))
              expected[event.type] = (expected[event.type] ?? 0) + 1;
          const { rows, events: given } = await replayed(logWith(events), counting, {
            after: events[first - 1]?.position ?? START_POSITION,
            upTo: events[last - 1]?.position ?? START_POSITION,
            types,
            stream,
          });
          expect(rows).to.deep.equal([expected]);
          expect(given).to.equal(Object.values(expected).reduce((sum, count) => sum + count, 0));
        },
      ),
      { numRuns: 100 },
    );
  });

  it('gives events in the order of the event log, with their places', async () => {
    const log = await storeWith(replayWorld);
    const all = await log.readAll(START_POSITION, 1_000);
    const seen: unknown[] = [];
    const note = (event: unknown) => void seen.push(event);
    const handlers = new Map([...counting.handlers.keys()].map((type) => [type, note]));
    await replayed(log, replayOf({ handlers }));
    expect(seen).to.deep.equal(
      all.map(({ type, data, metadata, position, stream, revision, id }) => {
        const { $correlationId, actor, requestId, recordedAt } = metadata;
        return {
          ...{ type, data, position, stream, revision, id },
          metadata: { $correlationId, actor, requestId, recordedAt },
        };
      }),
    );
  });

  it('masks personal members and withholds places, and shows all others', async () => {
    const replay = replayOf({
      init: () => [],
      handlers: new Map([['ProfessionalRecorded', (event, state) => void (state as object[]).push(event as object)]]),
      rows: (state) => state,
    });
    const { rows } = await replayed(await storeWith([recorded]), replay, { mask: maskBy('secret') });
    const [event] = rows as { readonly data: Record<string, unknown>; readonly withheld: unknown }[];
    for (const member of ['firstName', 'lastName', 'email', 'phone', 'picture'])
      expect(event?.data[member], member).to.match(/^masked-[0-9a-f]{16}$/);
    expect(event?.data).to.include({ professionalId: 'ann', profession: 'hygienist', latitude: null });
    expect(event?.withheld).to.deep.equal(['latitude', 'longitude']);
  });

  it('leaves out what this code cannot read, and counts it', async () => {
    const newer = { ...recorded, version: 99 };
    const { rows, unreadable, firstUnreadable } = await replayed(await storeWith([newer, recorded, newer]), counting);
    expect([rows, unreadable]).to.deep.equal([[{ ProfessionalRecorded: 1 }], 2]);
    expect(firstUnreadable).to.include('its version 99 is newer than this code');
  });

  it('ends with the reason of a signal', async () => {
    const ending = new AbortController();
    const handlers = new Map([['ProfessionalRecorded', () => ending.abort(new Error('told to end'))]]);
    const run = replayed(await storeWith([recorded]), replayOf({ handlers }), { signal: ending.signal });
    expect(await messageOf(run)).to.equal('told to end');
  });

  const failing = () => {
    throw new Error('so it is');
  };
  for (const [what, parts, says] of [
    ['init', { init: failing }, /^mine\.ts: init failed: so it is$/],
    [
      'a handler',
      { handlers: new Map([['ProfessionalRecorded', failing]]) },
      /^mine\.ts: the handler of ProfessionalRecorded, for event 0 of professional-ann at \d+, failed: so it is$/,
    ],
    [
      'a handler that is asynchronous',
      { handlers: new Map([['ProfessionalRecorded', () => Promise.resolve()]]) },
      /failed: it returned a promise, and must be synchronous$/,
    ],
    [
      'a handler that gives another state',
      { init: () => 0, handlers: new Map([['ProfessionalRecorded', () => 1]]) },
      /failed: it returned a value, and must return nothing: a handler changes the state that it is given, an object, as in state\.hires\+\+$/,
    ],
    ['rows', { rows: failing }, /^mine\.ts: rows failed after 0 of them: so it is$/],
    ['rows that are none', { rows: () => 'text' }, /rows must give an array, or be a generator$/],
    ['a row that is none', { rows: () => [{}, [1]] }, /after 1 of them: a row must be an object$/],
    ['a row that JSON cannot hold', { rows: () => [{ a: 1n }] }, /after 0 of them: .*BigInt/],
  ] as const)
    it(`says what failed: ${what}`, async () => {
      const run = replayed(await storeWith([recorded]), replayOf(parts));
      expect(await messageOf(run)).to.match(says);
    });

  it('refuses a type that no handler is there for', async () => {
    const run = replayed(await storeWith([recorded]), replayOf({}), { types: ['CandidateHired'] });
    expect(await messageOf(run)).to.equal('mine.ts has no handler for CandidateHired, which --type names');
  });
});
