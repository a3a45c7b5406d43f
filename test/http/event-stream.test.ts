import Router from '@koa/router';
import { expect } from 'chai';
import Koa from 'koa';
import type { RegistryRecord } from '../../src/build-registry/build.ts';
import { createFeed, createNews } from '../../src/rebuilds/feed.ts';
import {
  firstRecord,
  beginRebuild,
  rollBack,
  setStep,
  switchTo,
} from '../../src/build-registry/transitions.ts';
import type { State } from '../../src/http/context.ts';
import { eventStreamRoute } from '../../src/http/event-stream.ts';
import { listen } from '../../src/http/listen.ts';
import { eventually } from '../support/eventually.ts';
import { follow } from './followed-events.ts';

const now = '2026-03-01T09:30:00.000Z';
const options = { throttle: null, keepHours: 24, isApproved: false, isStrict: true };
const of = (record: RegistryRecord) => new Map([[record.name, record]]);

describe('The news of builds', () => {
  const first = setStep(firstRecord('lists', 1, now), 'lists@1.1', 'ready');
  const begun = beginRebuild(first, 1, options, now);
  const told = (news: ReturnType<ReturnType<typeof createNews>>) =>
    news.map(({ kind, line }) =>
      'step' in line ? `${line.build} ${line.step}` : `${line.build} ${kind} ${line.kind}`,
    );

  it('are at first those of builds that are under way', () => {
    expect(told(createNews()(of(first)))).to.deep.equal([]);
    expect(told(createNews()(of(begun)))).to.deep.equal(['lists@1.2 build']);
  });

  it('are then each change, once', () => {
    const news = createNews();
    news(of(first));
    expect(told(news(of(begun)))).to.deep.equal(['lists@1.2 build']);
    expect(told(news(of(begun)))).to.deep.equal([]);
    const progress = { events: 5, of: 10, perSecond: 5 };
    const [line] = news(of(setStep(begun, 'lists@1.2', 'build', { progress })));
    expect(line?.line).to.include({ events: 5, of: 10, perSecond: 5, secondsLeft: 1 });
  });

  it('tell that a build is served, and another again after a rollback', () => {
    const news = createNews();
    news(of(begun));
    const after = switchTo(begun, 'lists@1.2', now);
    expect(told(news(of(after)))).to.deep.equal(['lists@1.2 ready', 'lists@1.2 outcome served']);
    expect(told(news(of(rollBack(after, 1, now))))).to.deep.equal(['lists@1.1 outcome served']);
  });

  it('tell why a build has stopped', () => {
    const news = createNews();
    news(of(begun));
    const [, outcome] = news(of(setStep(begun, 'lists@1.2', 'stopped', { stoppedBy: 'Event A' })));
    expect(outcome?.line).to.deep.equal({
      projection: 'lists',
      build: 'lists@1.2',
      kind: 'stopped',
      reason: 'Event A',
    });
  });
});

describe('A feed of builds', () => {
  it('asks the build registry only while a client follows, and once for all', async () => {
    const stopping = new AbortController();
    let asked = 0;
    const all = () => Promise.resolve(new Map(Object.entries({ asked: firstRecord('lists', ++asked, now) })));
    const feed = createFeed({ all, onError: () => undefined, signal: stopping.signal });
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
    const feed = createFeed({
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

describe('A stream of events', () => {
  it('has a comment now and then while nothing happens', async () => {
    // Given a service without builds and with a fast heartbeat
    const stopping = new AbortController();
    const { signal } = stopping;
    const feed = createFeed({ all: () => Promise.resolve(new Map()), onError: () => undefined, signal });
    const router = new Router<State>().get('/events', eventStreamRoute({ feed, signal, heartbeatMs: 5 }));
    const server = await listen(new Koa<State>().use(router.routes()).callback(), '127.0.0.1', 0, {
      maxConnections: 10,
      isUsableId: () => true,
      onRefused: () => undefined,
    });
    try {
      // When a client follows, then it gets a heartbeat again and again
      const followed = await follow(server.url, '/events');
      await eventually(
        'it beats',
        () => followed.comments.filter((line) => line === ': still here').length >= 3,
      );
      expect(followed.events).to.deep.equal([]);
      stopping.abort();
      expect(await followed.ended).to.equal(true);
    } finally {
      await server.stop(1_000);
      await feed.ended();
    }
  });
});
