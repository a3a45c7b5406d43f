import { monitorEventLoopDelay } from 'node:perf_hooks';
import { startService } from '../support/service.ts';
import type { Asked } from './service-child.ts';

/** The service that is fuzzed, in a process of its own, so that its memory and event-loop delay are its own. */

const EVENTS_AT_ONCE = 1_000;
const service = await startService({ consistencyWaitMs: 1_000, threads: undefined });
const delays = monitorEventLoopDelay({ resolution: 5 });
delays.enable();

const collect = globalThis.gc;
if (!collect) throw new Error('Start it with --expose-gc');

const replyTo = async (asked: Asked): Promise<unknown> => {
  switch (asked.kind) {
    case 'url':
      return { url: service.url };
    case 'clock':
      service.clock.advance(asked.minutes);
      return {};
    case 'delivery':
      service.failing.delivery = asked.isFailing;
      return {};
    case 'code': {
      const code = service.delivered.findLast(({ to }) =>
        [to.channel === 'sms' ? to.phoneNumber : to.address].includes(asked.to),
      )?.code;
      service.delivered.length = 0;
      return code === undefined ? {} : { code };
    }
    case 'events': {
      const events = await service.app.eventStore.readAll(asked.after, EVENTS_AT_ONCE);
      return {
        events: events.map(({ position, type, metadata }) => ({
          position,
          type,
          requestId: typeof metadata['requestId'] === 'string' ? metadata['requestId'] : '',
        })),
      };
    }
    case 'health': {
      const { max, mean } = delays;
      const p99 = delays.percentile(99);
      service.told.length = service.delivered.length = 0;
      await collect({ execution: 'async', type: 'major' });
      await collect({ execution: 'async', type: 'major' });
      delays.reset();
      const { rss, heapUsed } = process.memoryUsage();
      return { rss, heapUsed, maxMs: max / 1e6, p99Ms: p99 / 1e6, meanMs: mean / 1e6 };
    }
    case 'stop':
      await service.stop();
      return {};
  }
};

process.on('message', (asked: Asked) => {
  void replyTo(asked).then(
    (reply) => process.send?.({ reply }),
    (error: unknown) => process.send?.({ error: error instanceof Error ? error.stack : String(error) }),
  );
});
