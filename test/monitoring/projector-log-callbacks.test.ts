import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { specialties } from '../../projections/specialties.ts';
import { NO_STREAM } from '../../src/event-store/port.ts';
import { createLogger } from '../../src/monitoring/logger.ts';
import { eventually } from '../support/eventually.ts';
import { bodies, metadata } from '../support/examples.ts';
import { startService, type Service } from '../support/service.ts';

type Line = Readonly<Record<string, unknown>>;

describe('The application log', () => {
  const lines: Line[] = [];
  let service: Service;
  before(async () => {
    const destination = { write: (line: string) => void lines.push(JSON.parse(line) as Line) };
    const logger = createLogger({ level: 'info', destination });
    service = await startService({ logger, threads: undefined });
  });
  beforeEach(() => void lines.splice(0));
  after(() => service.stop());

  const withMessage = (message: RegExp) => lines.filter(({ msg }) => message.test(String(msg)));
  const logged = async (message: RegExp): Promise<Line> => {
    await eventually(`a line says ${String(message)}`, () => withMessage(message).length > 0);
    return withMessage(message)[0] ?? {};
  };
  const build = (number: number) => `specialties@${specialties.version}.${number}`;

  it('has a line for each step of a build: begun, complete, compared, served, thrown away', async () => {
    const post = async (act: string, body: object) => {
      const path = `/admin/projections/specialties/${act}`;
      expect((await service.send('POST', path, { as: 'admin', body })).status).to.equal(202);
    };
    await post('rebuild', { confirm: 'specialties' });
    const common = { projection: 'specialties', build: build(2), level: 30 };
    expect(await logged(/^A build has begun$/)).to.include({ ...common, purpose: 'serve' });
    expect(await logged(/^A build is complete$/)).to.include({ ...common, events: 0 });
    const compared = { ...common, documents: 0, differing: 0, uncompared: 0 };
    expect(await logged(/^A build was compared with what is served$/)).to.include(compared);
    expect(await logged(/^Another build is served$/)).to.include({ ...common, replaces: build(1) });
    expect(withMessage(/build/)).to.have.length(4);
    await post('verify', {});
    expect(await logged(/^A build was thrown away$/)).to.include({ ...common, build: build(3) });
    expect(withMessage(/^A build has begun$/)[1]).to.include({ build: build(3), purpose: 'check' });
  });

  it('names the event at which a stream is parked, and what its handler failed with', async () => {
    const { procedures } = bodies.specialty;
    const data = { specialtyId: 'odd', name: 'Odd', procedures: [...procedures] };
    // Only newer code reads this version.
    const event = { id: randomUUID(), type: 'SpecialtyRecorded', version: 99, data, metadata };
    const stream = 'specialty-odd';
    await service.app.eventStore.append({ stream, expectedRevision: NO_STREAM, events: [event] });
    const line = await logged(/^A stream is parked at an event that cannot be applied/);
    expect(line).to.include({ projection: 'specialties', stream });
    const position = await service.app.eventStore.head();
    expect(line['event']).to.deep.equal({ id: event.id, type: event.type, revision: 0, position });
    expect(line['err']).to.have.property('message').that.includes('version 99');
    expect(withMessage(/failed and will try again/)).to.deep.equal([]);
  });

  it('says that what operators had asked for is lost with a build registry that was missing', async function () {
    if (service.stores.readModels.kind !== 'sqlite') this.skip();
    await service.restart(() => rm(join(service.directory, 'projections.db')));
    const { msg } = await logged(/projections\.db was missing/);
    expect(msg).to.include('every projection is built anew; pauses, builds kept for a rollback');
  });

  it('has no error without what it says', () => {
    const logger = createLogger({
      level: 'info',
      destination: { write: (line) => void lines.push(JSON.parse(line) as Line) },
    });
    logger.error({ err: { rawCode: 13 } }, 'It failed');
    expect(lines[0]).to.have.nested.property('err.message', '{ rawCode: 13 }');
  });
});
