import Router from '@koa/router';
import { expect } from 'chai';
import Koa from 'koa';
import type { Caller } from '../../src/access/access.ts';
import type { ProjectionBuilds } from '../../src/builds/build-schema.ts';
import { createRegistryFeed, createBuildUpdateFinder } from '../../src/builds/registry-feed.ts';
import {
  applyVerification,
  beginVerification,
  cancelBuilds,
  createProjectionBuilds,
  forgetBuild,
  rollBack,
  setBuildStep,
  activateBuild,
} from '../../src/builds/transitions.ts';
import type { AdmittedState, State } from '../../src/http/edge/context.ts';
import { answerErrors } from '../../src/http/error-answers.ts';
import { createFollowerLimit } from '../../src/http/followers.ts';
import { followProjectionsRoute, type FollowProjectionsOptions } from '../../src/http/follow-projections-route.ts';
import { listen } from '../../src/http/edge/listen.ts';
import { eventually } from '../support/eventually.ts';
import { follow } from './followed-events.ts';
import { NOW, rebuilding, rebuiltOnce, report, served1 } from '../support/build-records.ts';

const of = (record: ProjectionBuilds) => new Map([[record.name, record]]);

describe('The news of builds', () => {
  const told = (news: ReturnType<ReturnType<typeof createBuildUpdateFinder>>) =>
    news.map(({ kind, line }) =>
      'step' in line ? `${line.build} ${line.step}` : `${line.build} ${kind} ${line.kind}`,
    );

  it('are at first those of builds that are under way', () => {
    expect(told(createBuildUpdateFinder()(of(served1)))).to.deep.equal([]);
    expect(told(createBuildUpdateFinder()(of(rebuilding)))).to.deep.equal(['lists@1.2 build']);
  });

  it('are then each change, once', () => {
    const news = createBuildUpdateFinder();
    news(of(served1));
    expect(told(news(of(rebuilding)))).to.deep.equal(['lists@1.2 build']);
    expect(told(news(of(rebuilding)))).to.deep.equal([]);
    const progress = { events: 5, of: 10, perSecond: 5 };
    const [line] = news(of(setBuildStep(rebuilding, 'lists@1.2', 'build', { progress })));
    expect(line?.line).to.include({ events: 5, of: 10, perSecond: 5, secondsLeft: 1 });
  });

  it('tell that a build is served, and another again after a rollback', () => {
    const news = createBuildUpdateFinder();
    news(of(rebuilding));
    const after = activateBuild(rebuilding, 'lists@1.2', NOW);
    expect(told(news(of(after)))).to.deep.equal(['lists@1.2 ready', 'lists@1.2 outcome served']);
    expect(told(news(of(rollBack(after, 1, undefined, NOW))))).to.deep.equal(['lists@1.1 outcome served']);
  });

  it('tell why a build has stopped', () => {
    const news = createBuildUpdateFinder();
    news(of(rebuilding));
    const [, outcome] = news(of(setBuildStep(rebuilding, 'lists@1.2', 'stopped', { stoppedBy: 'Event A' })));
    expect(outcome?.line).to.deep.equal({
      projection: 'lists',
      build: 'lists@1.2',
      kind: 'stopped',
      reason: 'Event A',
    });
  });
});

describe('The news of a build that the build registry forgets', () => {
  const told = (news: ReturnType<ReturnType<typeof createBuildUpdateFinder>>) =>
    news.map(({ kind, line }) =>
      'step' in line ? `${line.build} ${line.step} ${line.events}/${line.of}` : `${line.build} ${kind} ${line.kind}`,
    );
  const progress = { events: 60, of: 100, perSecond: 20 };
  const checking = setBuildStep(beginVerification(served1, 1, null, NOW), 'lists@1.2', 'build', { progress });
  const compared = forgetBuild(
    applyVerification(setBuildStep(checking, 'lists@1.2', 'verify'), 'lists@1.2', report, NOW),
    'lists@1.2',
  );

  it('tell how it ended, though it was dropped between two looks', () => {
    const news = createBuildUpdateFinder();
    news(of(checking));
    expect(told(news(of(compared)))).to.deep.equal(['lists@1.2 discarded 100/100', 'lists@1.2 outcome compared']);
    expect(told(news(of(compared)))).to.deep.equal([]);
  });

  it('tell that it was given up', () => {
    const news = createBuildUpdateFinder();
    news(of(checking));
    const given = forgetBuild(cancelBuilds(checking, NOW), 'lists@1.2');
    expect(told(news(of(given)))).to.deep.equal(['lists@1.2 discarded 60/100', 'lists@1.2 outcome cancelled']);
  });

  it('are none of one that was kept long enough, or whose end was told', () => {
    for (const record of [rebuiltOnce, cancelBuilds(rebuilding, NOW)]) {
      const news = createBuildUpdateFinder();
      news(of(rebuilding));
      news(of(record));
      const [other = ''] = record.builds.flatMap(({ id }) => (id === record.active ? [] : [id]));
      expect(told(news(of(forgetBuild(record, other))))).to.deep.equal([]);
    }
  });
});

describe('The news of builds that are awaited', () => {
  const awaited = [{ name: 'lists', build: 'lists@1.2' }];
  const told = (record: ProjectionBuilds) =>
    createBuildUpdateFinder(awaited)(of(record)).map(({ line }) => ('step' in line ? line.step : line.kind));

  it('are of them alone, and at the first look also of those that have ended', () => {
    expect(told(rebuilding)).to.deep.equal(['build']);
    expect(told(rebuiltOnce)).to.deep.equal(['ready', 'served']);
    // One that was forgotten before it was seen has an outcome, and no progress.
    expect(told(forgetBuild(cancelBuilds(rebuilding, NOW), 'lists@1.2'))).to.deep.equal(['cancelled']);
  });

  it('are none where the build registry has lost the projection: an error', () => {
    expect(() => createBuildUpdateFinder(awaited)(new Map())).to.throw(/lost lists/);
  });
});

describe('A feed of builds', () => {
  it('asks the build registry only while a client follows, and once for all', async () => {
    const stopping = new AbortController();
    let asked = 0;
    const all = () =>
      Promise.resolve(new Map(Object.entries({ asked: createProjectionBuilds('lists', ++asked, NOW) })));
    const feed = createRegistryFeed({ all, onError: () => undefined, signal: stopping.signal });
    expect(asked).to.equal(0);
    const seen: number[] = [];
    const leave = [1, 2].map(() =>
      feed.subscribe((records) => seen.push(records.get('asked')?.builds[0]?.version ?? 0)),
    );
    await eventually('both are told', () => seen.length >= 2);
    expect(seen.slice(0, 2)).to.deep.equal([1, 1]);
    for (const each of leave) each();
    await feed.ended();
    const before = asked;
    feed.subscribe(() => undefined);
    await eventually('it is asked again', () => asked > before);
    stopping.abort();
    await feed.ended();
  });

  it('tells of a build registry that cannot be read, and ends with the signal all the same', async () => {
    const stopping = new AbortController();
    const errors: unknown[] = [];
    const feed = createRegistryFeed({
      all: () => Promise.reject(new Error('MongoDB does not answer')),
      onError: (error) => errors.push(error),
      signal: stopping.signal,
    });
    feed.subscribe(() => undefined);
    await eventually('it is told', () => errors.length > 0);
    stopping.abort();
    await feed.ended();
    expect(errors).to.have.length(1);
  });
});

/** A service with event streams and nothing else, without builds. */
const startStreams = async (
  options: Omit<FollowProjectionsOptions, 'feed' | 'followers'>,
  callerOf: () => Pick<Caller, 'expiresAt'> & { readonly id?: string } = () => ({}),
) => {
  const stopping = new AbortController();
  const { signal } = stopping;
  const feed = createRegistryFeed({ all: () => Promise.resolve(new Map()), onError: () => undefined, signal });
  const route = followProjectionsRoute({ feed, followers: createFollowerLimit('the builds', signal), ...options });
  const router = new Router<AdmittedState>().get('/events', (ctx) => {
    const { id = 'user-ada', expiresAt } = callerOf();
    const user = { id, professionalId: undefined, officeId: undefined, isAdmin: true, isAnalyst: false };
    ctx.state.caller = { key: { name: 'website', scope: 'client' }, user, expiresAt };
    return route(ctx);
  });
  const app = new Koa<State>().use(
    answerErrors((error) => {
      throw error;
    }),
  );
  // That a client leaves in the midst of an answer is not printed.
  app.silent = true;
  const server = await listen(app.use(router.routes()).callback(), '127.0.0.1', 0, {
    maxConnections: 50,
    trustedProxies: [],
    keepAliveSeconds: 65,
    onRefused: () => undefined,
  });
  return {
    follow: () => follow(server.url, '/events'),
    abort: () => stopping.abort(),
    async stop() {
      stopping.abort();
      await server.stop(1_000);
      await feed.ended();
    },
  };
};

describe('A stream of events', () => {
  let streams: Awaited<ReturnType<typeof startStreams>>;
  afterEach(() => streams.stop());

  it('has a comment now and then while nothing happens', async () => {
    // Given a service with a fast heartbeat
    streams = await startStreams({ heartbeatMs: 5 });
    // When a client follows, then it gets a heartbeat again and again
    const followed = await streams.follow();
    await eventually('it beats', () => followed.comments.filter((line) => line === ': still here').length >= 3);
    expect(followed.events).to.deep.equal([]);
    streams.abort();
    expect(await followed.ended).to.equal(true);
  });

  it('ends when the token of its client expires, and says so', async () => {
    const expiresAt = Date.now() + 200;
    streams = await startStreams({}, () => ({ expiresAt }));
    const followed = await streams.follow();
    expect(await followed.ended).to.equal(true);
    expect(Date.now()).to.be.at.least(expiresAt);
    expect(followed.events).to.deep.equal([{ event: 'expired', data: {} }]);
  });

  it('goes on where the token expires in a year, or never', async () => {
    const expiries = [Date.now() + 365 * 24 * 3_600_000, undefined];
    streams = await startStreams({ heartbeatMs: 5 }, () => ({ expiresAt: expiries.pop() }));
    const followed = [await streams.follow(), await streams.follow()];
    await eventually('both beat', () => followed.every(({ comments }) => comments.length >= 3));
    expect(followed.map(({ events }) => events)).to.deep.equal([[], []]);
  });

  it('is for a user five times at once, and again when one has left', async () => {
    let id = 'user-ada';
    streams = await startStreams({}, () => ({ id }));
    const followed = await Promise.all(Array.from({ length: 5 }, () => streams.follow()));
    expect(followed.map(({ status }) => status)).to.deep.equal(Array(5).fill(200));
    expect((await streams.follow()).status).to.equal(429);
    // Another user has streams of its own
    id = 'user-bea';
    expect((await streams.follow()).status).to.equal(200);
    id = 'user-ada';
    followed.pop()?.leave();
    await eventually('there is a place', async () => (await streams.follow()).status === 200);
  });
});
