import { expect } from 'chai';
import { toPostingCandidateRow } from '../../queries/posting-candidates.ts';
import { postingCandidatesCollection } from '../../projections/posting-candidates.ts';
import { professionalProfilesCollection } from '../../projections/professional-profiles.ts';
import { eventDefinitions } from '../../src/domain/index.ts';
import { webhookEvents } from '../../src/streams/webhooks.ts';
import { START_POSITION, type EventStore, type RecordedEvent } from '../../src/event-store/port.ts';
import { demoPersonasOf } from '../../src/tools/seed/people.ts';
import { seedWorld, type SeedProgress } from '../../src/tools/seed/seed.ts';
import { OnboardingStatus, hiringStatuses, officeStatuses, professionalStatuses } from '../../src/schema/vocabulary.ts';
import { startService, tokenFor, type Service } from '../support/service.ts';

const options = { seed: 5, candidates: 120 };
const people = demoPersonasOf(options);
const LEFT_OUT = [
  'CodeDeliveryFailed',
  'CodeRefused',
  'CommuteMeasured',
  'NoticeRequested',
  'OperatorActed',
  ...webhookEvents.map(({ type }) => type),
];

const logOf = (service: Service) => service.app.eventStore.readAll(START_POSITION, 1_000_000);
const comparable = (events: readonly RecordedEvent[]) => events.map(({ position: _, ...event }) => event);
const caughtUp = async ({ app }: Service) => {
  const names = app.projector.status().map(({ name }) => name);
  return app.projector.reached(names, await app.eventStore.head(), 10_000);
};

describe('A seeded world', () => {
  let service: Service;
  const progress: SeedProgress[] = [];
  let commands = 0;
  before(async () => {
    service = await startService();
    const { eventStore } = service.app;
    commands = await seedWorld({ eventStore, options, onProgress: (one) => progress.push(one) });
    expect(await caughtUp(service)).to.equal(true);
  });
  after(() => service.stop());

  const read = async (path: string, claims: Record<string, unknown>) => {
    const headers = { Authorization: `Bearer ${await tokenFor(claims)}` };
    const { status, body } = await service.send('GET', path, { headers });
    expect(status).to.equal(200);
    return body;
  };
  const candidateRows = async () =>
    (await service.app.readModels.find(postingCandidatesCollection, { filter: {} })).map(toPostingCandidateRow);
  const asProfessional = { sub: people.professional.id, professional_id: people.professional.professionalId };
  const sorted = (values: Iterable<unknown>) => [...new Set(values)].map(String).sort();

  it('counts as many commands as it planned', () => {
    expect(progress.at(-1)).to.include({ commands, total: commands });
  });

  it('has every application', async () => {
    expect(await candidateRows()).to.have.lengthOf(options.candidates);
  });

  it('has candidates in every state', async () => {
    const rows = await candidateRows();
    expect(sorted(rows.map(({ officeStatus }) => officeStatus))).to.deep.equal(sorted(officeStatuses));
    expect(sorted(rows.map(({ hiringStatus }) => hiringStatus))).to.deep.equal(sorted(hiringStatuses));
    expect(sorted(rows.map(({ professionalStatus }) => professionalStatus))).to.deep.equal(
      sorted(professionalStatuses),
    );
    expect(sorted(rows.map(({ isShortlisted }) => isShortlisted))).to.deep.equal(['false', 'true']);
  });

  it('has professionals in every onboarding status', async () => {
    const found = await service.app.readModels.find(professionalProfilesCollection, { filter: {} });
    const statuses = found.flatMap(({ doc }) => doc.own.onboarding?.status ?? []);
    expect(sorted(statuses)).to.deep.equal(sorted(OnboardingStatus.enum));
  });

  it('has every kind of event but those of failures, of the road router, of operators and of webhooks', async () => {
    const types = new Set((await logOf(service)).map(({ type }) => type));
    const missing = eventDefinitions.map(({ type }) => type).filter((type) => !types.has(type));
    expect(missing).to.have.members(LEFT_OUT);
  });

  it('has a review that replaced another', async () => {
    const reviews = (await logOf(service)).filter(({ type }) => type === 'ReviewPosted');
    expect(reviews.filter(({ revision }) => revision === 1)).to.not.have.lengthOf(0);
  });

  it('shows the demo office a posting with candidates on every tab', async () => {
    const claims = { sub: people.office.id, office_id: people.office.officeId };
    const answer = (await read(`/postings/${people.postingId}/candidates`, claims)) as {
      metadata: { tabs: Record<string, number> };
    };
    expect(Object.values(answer.metadata.tabs).every((count) => count > 0)).to.equal(true);
  });

  it('shows the demo administrator the candidates with their mail addresses', async () => {
    const claims = { sub: people.admin.id, roles: ['admin'] };
    const answer = (await read(`/admin/postings/${people.postingId}/candidates`, claims)) as {
      data: { professionalEmail: string }[];
    };
    expect(answer.data[0]?.professionalEmail).to.match(/^[a-z]+\.[a-z]+\.\d+@example\.com$/);
  });

  it('shows the demo professional the own candidate on that posting', async () => {
    const pages = await Promise.all(
      ['active', 'archived'].map((category) => read(`/professionals/candidates?category=${category}`, asProfessional)),
    );
    const rows = (pages as { data: { postingId: string; professionalName: string }[] }[]).flatMap(({ data }) => data);
    const own = rows.find(({ postingId }) => postingId === people.postingId);
    expect(own?.professionalName).to.equal(people.professional.name);
  });

  it('shows the demo professional saved postings, some of them near', async () => {
    const answer = (await read('/postings/saved', asProfessional)) as {
      data: { id: string; offerOwner: { officeName: string } }[];
      summary: { within50MilesCount: number };
    };
    expect(answer.data.find(({ id }) => id === people.postingId)?.offerOwner.officeName).to.equal(people.office.name);
    expect(answer.summary.within50MilesCount).to.be.above(0);
  });

  it('is the same log, event by event, when it is made again elsewhere', async () => {
    const other = await startService();
    try {
      await seedWorld({ eventStore: other.app.eventStore, options });
      expect(comparable(await logOf(other))).to.deep.equal(comparable(await logOf(service)));
    } finally {
      await other.stop();
    }
  });
});

describe('Seeding', () => {
  let service: Service;
  beforeEach(async () => {
    service = await startService();
  });
  afterEach(() => service.stop());

  const tiny = { seed: 11, candidates: 30 };
  /** Stores only so many more appends, as if the service stopped then. */
  const failingAfter = (appends: number): EventStore => {
    const { eventStore } = service.app;
    let left = appends;
    return {
      ...eventStore,
      async appendInOrder(all) {
        const stored = all.slice(0, left);
        left -= stored.length;
        await eventStore.appendInOrder(stored);
        if (stored.length < all.length) throw new Error('The disk is full');
        return undefined;
      },
    };
  };
  const failingOn = (name: string): EventStore => {
    const { eventStore } = service.app;
    return {
      ...eventStore,
      readStream: (stream, from) =>
        stream.startsWith(name) ? Promise.reject(new Error('The disk is broken')) : eventStore.readStream(stream, from),
    };
  };

  it('appends nothing when the world is there already', async () => {
    await seedWorld({ eventStore: service.app.eventStore, options: tiny });
    const head = await service.app.eventStore.head();
    await seedWorld({ eventStore: service.app.eventStore, options: tiny });
    expect(await service.app.eventStore.head()).to.equal(head);
  });

  it('stops at the first failure, and says which command it was and why', async () => {
    let message = '';
    try {
      await seedWorld({ eventStore: failingOn('posting-'), options: tiny });
    } catch (error) {
      message = error instanceof Error ? error.message : '';
    }
    expect(message).to.match(/^The seed's \w+ of 20\d\d-\d\d-\d\dT[\d:.]+Z failed: The disk is broken$/);
  });

  it('completes a world whose seeding had stopped half-way', async () => {
    const whole = await startService();
    try {
      await seedWorld({ eventStore: whole.app.eventStore, options: tiny });
      for (let isWhole = false; !isWhole;)
        isWhole = await seedWorld({ eventStore: failingAfter(37), options: tiny }).then(
          () => true,
          () => false,
        );
      expect(comparable(await logOf(service))).to.deep.equal(comparable(await logOf(whole)));
    } finally {
      await whole.stop();
    }
  });

  it('has candidates in every state where there are 24', async () => {
    for (const seed of [1, 2, 3])
      await seedWorld({ eventStore: service.app.eventStore, options: { seed, candidates: 24 } });
    expect(await caughtUp(service)).to.equal(true);
    for (const seed of [1, 2, 3]) {
      const { postingId } = demoPersonasOf({ seed, candidates: 24 });
      const rows = await service.app.readModels.find(postingCandidatesCollection, { filter: { postingId } });
      expect(new Set(rows.map(({ doc }) => doc.officeStatus)).size, `seed ${seed}`).to.equal(officeStatuses.length);
    }
  });
});
