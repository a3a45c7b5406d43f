import { expect } from 'chai';
import { eventually } from '../support/eventually.ts';
import { bodies, ids } from '../support/examples.ts';
import { at } from '../http/answer-rules.ts';
import { ownServer, withOwnServers, type OwnServer } from '../support/own-servers.ts';
import { sendTo, type Running } from '../support/process.ts';
import type { Answer } from '../support/service.ts';
import { newInstances, untilReady, type Instances } from './instances.ts';

const BOUND_MS = 10_000;
const MAX_CPU = 0.5;
const NAME = 'An instance whose server is away';

withOwnServers(NAME, ['eventStore', 'mongo'], () => {
  describe(NAME, function () {
    this.timeout(240_000);
    let eventStore: OwnServer;
    let mongo: OwnServer;
    let instances: Instances;
    beforeEach(async () => {
      [eventStore, mongo] = await Promise.all([ownServer('eventStore'), ownServer('mongo')]);
      instances = await newInstances({ eventStore: eventStore.url, mongo: mongo.url });
    });
    afterEach(async () => {
      await instances.end();
      await eventStore.remove();
      await mongo.remove();
    });

    const record = (instance: Running, title: string, headers = {}) =>
      sendTo(instance, 'PUT', `/internal/postings/${ids.posting}`, { body: { ...bodies.posting, title }, headers });
    const save = (instance: Running) =>
      sendTo(instance, 'POST', '/professionals/postings/save', {
        as: 'professional',
        body: { postingId: ids.posting },
      });
    const saved = (instance: Running) => sendTo(instance, 'GET', '/postings/saved', { as: 'professional' });

    /** The result, and how long it took. */
    const timed = async <T>(act: () => Promise<T>) => {
      const started = performance.now();
      return { answer: await act(), milliseconds: performance.now() - started };
    };
    const expectUnavailable = ({ status, body, headers }: Answer) => {
      expect(status).to.equal(503);
      expect(String(at(body, 'error'))).to.match(/^Nothing can be stored now\. .* the same Idempotency-Key$/);
      expect(headers.get('Retry-After')).to.match(/^[1-9]/);
    };
    const saysThat = (instance: Running, reason: RegExp) =>
      eventually(`it says that ${reason}`, async () => {
        const { status, body } = await sendTo(instance, 'GET', '/health/ready');
        return status === 503 && reason.test(String(at(body, 'error')));
      });
    const cpuSeconds = async (instance: Running): Promise<number> => {
      const text = String((await sendTo(instance, 'GET', '/metrics')).body);
      return Number(/^process_cpu_seconds_total (\S+)$/m.exec(text)?.[1]);
    };
    const stop = async (instance: Running) => {
      expect(await instance.end('SIGTERM')).to.equal(0);
      expect(instance.complaint()).to.equal('');
    };

    it('from the start, EventStoreDB: listens, names it, and is ready when it is there', async () => {
      await mongo.start();
      const instance = await instances.start();
      await saysThat(instance, /EventStoreDB does not answer/);
      const { answer, milliseconds } = await timed(() => record(instance, 'One'));
      expectUnavailable(answer);
      expect(milliseconds).to.be.lessThan(BOUND_MS);
      await eventStore.start();
      await untilReady(instance);
      expect((await record(instance, 'Two')).status).to.equal(204);
      await stop(instance);
    });

    it('from the start, MongoDB: listens, names it, takes writes, and is ready when it is there', async () => {
      // Given an event log that holds events: an empty one could belong to other read models
      await Promise.all([eventStore.start(), mongo.start()]);
      const before = await instances.start();
      await untilReady(before);
      await record(before, 'Zero');
      await stop(before);
      await mongo.kill();

      const instance = await instances.start();
      await saysThat(instance, /MongoDB does not answer/);
      expect((await record(instance, 'One')).status).to.equal(204);
      await mongo.start();
      await untilReady(instance);
      expect((await saved(instance)).status).to.equal(200);
      await stop(instance);
    });

    it('EventStoreDB: reads go on, writes are a 503 within 10 s, and work again when it is back', async () => {
      // Given an instance that has served
      await Promise.all([eventStore.start(), mongo.start()]);
      const instance = await instances.start();
      await untilReady(instance);
      await record(instance, 'One');
      const { headers } = await save(instance);
      const token = { 'Consistency-Token': headers.get('Consistency-Token') ?? '' };
      await sendTo(instance, 'GET', '/postings/saved', { as: 'professional', headers: token });

      // When EventStoreDB goes away
      await eventStore.kill();
      const [cpuBefore, started] = [await cpuSeconds(instance), performance.now()];
      const writes = Array.from({ length: 20 }, (_, write) =>
        timed(() => record(instance, `Written ${write}`, write < 10 ? {} : { 'Idempotency-Key': 'same' })),
      );
      const reads = Array.from({ length: 20 }, () => timed(() => saved(instance)));

      // Then reads are answered as before, and all writes within the bound, though they go to one stream
      for (const { answer, milliseconds } of await Promise.all(reads)) {
        expect(answer.status).to.equal(200);
        expect(at(answer.body, 'pagination', 'total')).to.equal(1);
        expect(milliseconds).to.be.lessThan(2_000);
      }
      for (const { answer, milliseconds } of await Promise.all(writes)) {
        expectUnavailable(answer);
        expect(milliseconds).to.be.lessThan(BOUND_MS);
      }
      const seconds = (performance.now() - started) / 1_000;
      expect(((await cpuSeconds(instance)) - cpuBefore) / seconds).to.be.lessThan(MAX_CPU);
      await saysThat(instance, /nothing can be stored: EventStoreDB does not answer/);

      // And once EventStoreDB is back, the instance is ready before it gets another write, and writes succeed
      await eventStore.start();
      await untilReady(instance);
      await eventually('writes work', async () => (await record(instance, 'Two')).status === 204);
      const written = await sendTo(instance, 'POST', '/professionals/postings/unsave', {
        as: 'professional',
        body: { postingId: ids.posting },
      });
      const again = { 'Consistency-Token': written.headers.get('Consistency-Token') ?? '' };
      await eventually('a read sees it', async () => {
        const read = await sendTo(instance, 'GET', '/postings/saved', { as: 'professional', headers: again });
        return read.status === 200 && at(read.body, 'pagination', 'total') === 0;
      });
      await stop(instance);
    });

    for (const [what, leave, comeBack] of [
      ['killed', () => mongo.kill(), () => mongo.start()],
      ['paused', () => mongo.pause(), () => mongo.goOn()],
    ] as const) {
      it(`MongoDB, ${what}: writes go on, reads are a 503 within 10 s, told once, and work again when it is back`, async () => {
        // Given an instance that has served
        await Promise.all([eventStore.start(), mongo.start()]);
        const instance = await instances.start();
        await untilReady(instance);
        await record(instance, 'One');
        const linesThat = (words: RegExp) => instance.lines.filter((line) => words.test(line));
        const isToldOnce = async (words: RegExp) => {
          await eventually(`it is told that ${words}`, () => linesThat(words).length > 0);
          expect(linesThat(words)).to.have.length(1);
        };

        // When MongoDB goes away
        await leave();
        const reads = await Promise.all(Array.from({ length: 20 }, () => timed(() => saved(instance))));

        // Then each read says so within the bound, and writes go on
        for (const { answer, milliseconds } of reads) {
          expect(answer).to.deep.include({ status: 503, body: { error: 'What this needs cannot be read now' } });
          expect(answer.headers.get('Retry-After')).to.match(/^[1-9]/);
          expect(milliseconds).to.be.lessThan(BOUND_MS);
        }
        expect((await save(instance)).status).to.equal(200);

        // And an operator is told of it, once and without a stack
        const { status, body } = await sendTo(instance, 'GET', '/health/ready');
        expect(status).to.equal(200);
        expect(body).to.deep.include({
          status: 'degraded',
          reason: 'the read models cannot be read: MongoDB does not answer',
        });
        await isToldOnce(/The read models cannot be read/);
        await isToldOnce(/A store cannot be used, for this request and others/);
        await isToldOnce(/Projections wait for a server until it answers/);
        expect(linesThat(/A request failed/)).to.deep.equal([]);

        // And once MongoDB is back, that is told too, and reads show what was written meanwhile
        await comeBack();
        await eventually('a read sees it', async () => {
          const read = await saved(instance);
          return read.status === 200 && at(read.body, 'pagination', 'total') === 1;
        });
        await isToldOnce(/The read models are read again/);
        await stop(instance);
      });
    }

    it('both, when it is told to stop: ends well', async () => {
      await Promise.all([eventStore.start(), mongo.start()]);
      const instance = await instances.start();
      await untilReady(instance);
      await Promise.all([eventStore.kill(), mongo.kill()]);
      await stop(instance);
    });
  });
});
