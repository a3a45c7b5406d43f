import { join } from 'node:path';
import { expect } from 'chai';
import { greatCircleDistance } from '../../src/domain/commute.ts';
import { decodeDomainEvent } from '../../src/domain/index.ts';
import { START_POSITION } from '../../src/event-store/port.ts';
import { seedWorld } from '../../src/tools/seed/seed.ts';
import { openEmbeddedEventStore } from '../../src/event-store/embedded/event-store.ts';
import { directoryForAll } from '../support/files.ts';

const DAY_MS = 86_400_000;

const daysBetween = (from: string, to: string) => (Date.parse(to) - Date.parse(from)) / DAY_MS;
const quantile = (numbers: readonly number[], share: number): number =>
  [...numbers].sort((a, b) => a - b)[Math.floor(share * (numbers.length - 1))] ?? NaN;
const countsOf = (values: Iterable<string>) => {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts.values()];
};

/** What is to be seen in a log, by a plain reading of its events. */
const observe = async (directory: string, seed: number) => {
  const eventStore = await openEmbeddedEventStore(join(directory, 'events.db'));
  const commands = await seedWorld({ eventStore, options: { seed, candidates: 2_000 } });
  const events = (await eventStore.readAll(START_POSITION, 1_000_000)).flatMap(
    (event) => decodeDomainEvent(event) ?? [],
  );
  await eventStore.close();
  const places = new Map<string, Parameters<typeof greatCircleDistance>[0]>();
  const professions = new Map<string, string | null>();
  const offices = new Map<string, string>();
  const interviews = new Map<string, string>();
  const unanswered = new Map<string, string>();
  const answers = new Map<string, number[]>();
  const [distances, moves, held] = [[], [], []] as [number[], number[], number[]];
  let suited = 0;
  for (const { type, data, metadata } of events) {
    const at = metadata.recordedAt;
    if (type === 'OfficeRecorded') {
      const [address] = data.address;
      places.set(data.officeId, { latitude: Number(address?.latitude), longitude: Number(address?.longitude) });
    } else if (type === 'ProfessionalRecorded') {
      const { professionalId, latitude, longitude, profession } = data;
      if (latitude !== null && longitude !== null) places.set(professionalId, { latitude, longitude });
      professions.set(professionalId, profession);
    } else if (type === 'PostingRecorded') {
      offices.set(data.postingId, data.officeId);
      professions.set(data.postingId, data.profession);
    } else if (type === 'CandidateApplied') {
      const { candidateId, postingId, professionalId } = data;
      const [office, home] = [places.get(offices.get(postingId) ?? ''), places.get(professionalId)];
      if (office && home) distances.push(greatCircleDistance(office, home));
      suited += Number(professions.get(postingId) === professions.get(professionalId));
      unanswered.set(candidateId, at);
    } else if ('candidateId' in data && type !== 'ReviewPosted') {
      const { candidateId, postingId } = data;
      const [applied, office] = [unanswered.get(candidateId), offices.get(postingId) ?? ''];
      if (applied !== undefined) answers.set(office, [...(answers.get(office) ?? []), daysBetween(applied, at)]);
      unanswered.delete(candidateId);
    }
    if (type === 'InterviewMoved') moves.push(daysBetween(interviews.get(data.interviewId) ?? '', data.interviewAt));
    if (type === 'InterviewScheduled' || type === 'InterviewMoved') interviews.set(data.interviewId, data.interviewAt);
    // One that was held without an invitation had no time before.
    if (type === 'InterviewHeld' && interviews.has(data.interviewId))
      held.push(daysBetween(interviews.get(data.interviewId) ?? '', at));
  }
  const times = events.map(({ metadata }) => metadata.recordedAt);
  const medians = [...answers.values()].filter(({ length }) => length >= 20).map((days) => quantile(days, 0.5));
  return {
    commands,
    requests: new Set(events.map(({ metadata }) => metadata.requestId)).size,
    times,
    distances,
    suited: suited / distances.length,
    moves,
    held,
    medians,
    postings: countsOf(offices.values()),
    weekendShare: times.filter((time) => [0, 6].includes(new Date(time).getUTCDay())).length / times.length,
  };
};

for (const seed of [1, 2, 3])
  describe(`The world of seed ${seed}`, () => {
    let world: Awaited<ReturnType<typeof observe>>;
    const directory = directoryForAll('hiring-world-');
    before(async () => {
      world = await observe(directory(), seed);
    });

    it('has times in the order of the log', () => {
      expect(world.times).to.deep.equal([...world.times].sort());
    });

    it('has an event of each command, by which a half-made world is completed', () => {
      expect(world.requests).to.equal(world.commands);
    });

    it('has people who apply to postings of their profession, about 12 miles away', () => {
      expect(quantile(world.distances, 0.5)).to.be.within(9, 15);
      expect(quantile(world.distances, 0.95)).to.be.within(30, 65);
      expect(world.suited).to.be.above(0.65);
    });

    it('has interviews that are moved by days, and held at their times', () => {
      expect(world.moves).to.have.length.above(20);
      expect(quantile(world.moves, 0)).to.be.above(0.5);
      expect(quantile(world.moves, 1)).to.be.below(10);
      expect(world.held.filter((days) => days < 0)).to.deep.equal([]);
    });

    it('has offices that differ in how fast they answer and how much they post', () => {
      expect(world.medians).to.have.length.above(3);
      expect(quantile(world.medians, 1)).to.be.above(2 * quantile(world.medians, 0));
      expect(quantile(world.postings, 1)).to.be.above(1.9 * quantile(world.postings, 0.5));
    });

    it('is quiet on Saturdays and Sundays', () => {
      expect(world.weekendShare).to.be.within(0.02, 0.08);
    });
  });
