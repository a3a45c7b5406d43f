import { BARE_KOA, SERVICE, type FigureGroup } from '../figure.ts';
import { startBareCommand } from '../processes/bare-koa.ts';
import { formatNumber } from '../report/format.ts';
import { startService } from '../processes/service.ts';

export const start: FigureGroup = {
  name: 'start',
  title: 'Starting',
  about: [
    'From the start of the process until `/health/ready` answers 200, with current read models. The operating system has the files in memory.',
    'Baseline: a process with bare Koa, until it answers its first request.',
  ],
  measures: [{ name: 'seconds', title: 'seconds', digits: 2 }],
  isDefault: true,
  async *figures({ settings: { events }, world }) {
    const { directory, population } = await world(events);
    yield {
      name: `${formatNumber(population.events, 0)} events`,
      contenders: [
        {
          name: SERVICE,
          async measure() {
            const service = await startService(directory);
            await service.end();
            return { seconds: service.readySeconds };
          },
        },
        {
          name: BARE_KOA,
          async measure() {
            const started = performance.now();
            const server = await startBareCommand('/');
            await (await fetch(server.url)).arrayBuffer();
            const seconds = (performance.now() - started) / 1_000;
            await server.end();
            return { seconds };
          },
        },
      ],
      targets: [{ says: 'seconds', measure: 'seconds', of: SERVICE, must: { atMost: 2 } }],
      warmsUp: false,
    };
  },
};
