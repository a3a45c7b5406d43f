import { expect } from 'chai';
import { runCommuteMeasurer } from '../../src/process-managers/commute-measurer.ts';
import type { RoadRouter } from '../../src/process-managers/road-router.ts';
import type { ReadModels } from '../../src/read-models/port.ts';
import { bodies, ids } from '../support/examples.ts';
import { until } from '../support/projector-stage.ts';
import { startService, type Service } from '../support/service.ts';

const measured = { roadDistance: 21.5, eta: 'PT41M' };

interface Drive {
  readonly distance: number | null;
  readonly roadDistance: number | null;
  readonly eta: string | null;
}

/** A router that records what it is asked, and finds a way except from the north pole. */
const createRouter = () => {
  const asked: Parameters<RoadRouter>[] = [];
  const router: RoadRouter = (from, to) => {
    asked.push([from, to]);
    return from.latitude === 90 ? Promise.reject(new Error('There is no road')) : Promise.resolve(measured);
  };
  return { asked, router };
};

describe('A road router that is configured', () => {
  let service: Service;
  let asked: Parameters<RoadRouter>[];
  beforeEach(async () => {
    const { asked: seen, router } = createRouter();
    asked = seen;
    service = await startService({ roadRouter: router });
    await service.send('PUT', `/internal/offices/${ids.office}`, { body: bodies.office });
    await service.send('PUT', `/internal/postings/${ids.posting}`, { body: bodies.posting });
  });
  afterEach(() => service.stop());

  const live = (latitude: number) =>
    service.send('PUT', `/internal/professionals/${ids.professional}`, { body: { ...bodies.professional, latitude } });
  const save = () =>
    service.send('POST', '/professionals/postings/save', { as: 'professional', body: { postingId: ids.posting } });
  const drive = async (): Promise<Drive | undefined> => {
    const { body } = await service.send('GET', '/postings/saved', { as: 'professional' });
    // Without read models the answer has no list.
    return (body as { data?: { commute: { drive: Drive } }[] }).data?.[0]?.commute.drive;
  };
  /** The drive once a condition holds; asks again after each batch of events. */
  const driveWhen = async (isSo: (drive: Drive | undefined) => boolean): Promise<Drive | undefined> => {
    for (;;) {
      const batch = service.app.projector.next(new AbortController().signal);
      const found = await drive();
      if (isSo(found)) return found;
      await batch;
    }
  };
  const isMeasured = (found: Drive | undefined) => found?.eta === measured.eta;

  it('measures the way of a posting that was saved, once', async () => {
    await live(30.5083);
    await save();
    expect(await driveWhen(isMeasured)).to.deep.equal({ distance: 17.09, ...measured });
    expect(asked).to.deep.equal([
      [
        { latitude: 30.5083, longitude: -97.6789 },
        { latitude: 30.2672, longitude: -97.7431 },
      ],
    ]);
  });

  it('measures again when the professional has moved', async () => {
    await live(30.5083);
    await save();
    await driveWhen(isMeasured);
    await live(30.4);
    await driveWhen((found) => isMeasured(found) && found?.distance !== 17.09);
    expect(asked.map(([from]) => from.latitude)).to.deep.equal([30.5083, 30.4]);
  });

  it('leaves the estimate where it knows no way, and goes on with the others', async () => {
    await live(90);
    await save();
    const estimate = await driveWhen((found) => found !== undefined);
    expect(estimate?.roadDistance).to.be.greaterThan(estimate?.distance ?? Infinity);
    await live(30.5083);
    expect(await driveWhen(isMeasured)).to.include(measured);
  });

  it('counts the measured distance in the summary', async () => {
    await live(30.5083);
    await save();
    await driveWhen(isMeasured);
    const { body } = await service.send('GET', '/postings/saved', { as: 'professional' });
    expect((body as { summary: unknown }).summary).to.deep.equal({
      within50MilesCount: 1,
      within100MilesCount: 1,
      within150MilesCount: 1,
      within200MilesCount: 1,
    });
  });
});

describe('What measures ways', () => {
  const handler = { appendAs: () => () => () => Promise.reject(new Error('Nothing is to be recorded here')) };
  const { router } = createRouter();

  /** Runs the commute measurer: each look gets the next find, and each change of the read models triggers a look. */
  const measuring = (finds: readonly (() => Promise<[]>)[], isCaughtUp = () => true) => {
    const stopping = new AbortController();
    const { signal } = stopping;
    const errors: unknown[] = [];
    let looks = 0;
    let change: () => void = () => undefined;
    const readModels: Pick<ReadModels, 'find'> = { find: () => (finds[looks++] ?? (() => Promise.resolve([])))() };
    const ended = runCommuteMeasurer({
      readModels,
      projector: {
        isCaughtUp,
        next: (until) =>
          new Promise((resolve) => {
            change = resolve;
            until.addEventListener('abort', () => resolve());
          }),
      },
      handler,
      router,
      onError: (error) => errors.push(error),
      signal,
    });
    const stop = async () => {
      stopping.abort();
      await ended;
    };
    return { errors, looks: () => looks, change: () => change(), stop };
  };

  it('looks again at the next change when the read models could not be read', async () => {
    const { errors, looks, change, stop } = measuring([() => Promise.reject(new Error('no store'))]);
    await until(() => errors.length === 1);
    change();
    await until(() => looks() === 2);
    await stop();
    expect(errors.map(String)).to.deep.equal(['Error: no store']);
  });

  it('looks at nothing before the read models are there', async () => {
    let isThere = false;
    const { errors, looks, change, stop } = measuring([], () => isThere);
    change();
    await new Promise((resolve) => setImmediate(resolve));
    expect(looks()).to.equal(0);
    isThere = true;
    change();
    await until(() => looks() === 1);
    await stop();
    expect(errors).to.deep.equal([]);
  });
});
