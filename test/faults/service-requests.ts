import { expect } from 'chai';
import { bodies, ids } from '../support/examples.ts';
import { sendTo, type Running } from '../support/process.ts';

type Asked = readonly [method: string, path: string, body?: unknown];

const POSTING = `/internal/postings/${ids.posting}`;
export const putPosting: Asked = ['PUT', POSTING, bodies.posting];

const READS: readonly string[] = [
  '/professionals/candidates?category=active',
  '/postings/saved',
  '/admin/projections',
  '/health/live',
];
const WRITES: readonly Asked[] = [
  ['PUT', `/internal/offices/${ids.office}`, bodies.office],
  ['PUT', POSTING, { ...bodies.posting, title: 'Another' }],
  ['POST', '/professionals/postings/save', { postingId: ids.posting }],
  ['POST', '/admin/projections/saved-postings/rebuild', { confirm: 'saved-postings' }],
  ['POST', '/admin/projections/saved-postings/pause', { confirm: 'saved-postings' }],
  ['POST', '/admin/projections/saved-postings/resume', {}],
];

/** Sends a request: under `/admin` as an administrator, else as a professional. */
export const ask = (service: Pick<Running, 'url'>, ...[method, path, body]: Asked) =>
  sendTo(service, method, path, { as: path.startsWith('/admin') ? 'admin' : 'professional', body });

/** A write that changes something each time. */
export const putAnother = (service: Pick<Running, 'url'>) =>
  ask(service, 'PUT', '/internal/offices/other', { ...bodies.office, officeName: String(Math.random()) });

/** Expects that reads are answered, writes are a 503 that says when to come back, and readiness says why. */
export const expectReadsAlone = async (
  service: Pick<Running, 'url'>,
  why = 'the event log cannot be written',
): Promise<void> => {
  for (let round = 0; round < 5; round++) {
    for (const path of READS) expect((await ask(service, 'GET', path)).status, path).to.equal(200);
    for (const asked of WRITES) {
      const { status, headers } = await ask(service, ...asked);
      expect(status, asked[1]).to.equal(503);
      expect(Number(headers.get('Retry-After')), asked[1]).to.be.greaterThan(0);
    }
  }
  const ready = await fetch(`${service.url}/health/ready`);
  expect(ready.status).to.equal(503);
  expect(await ready.text()).to.include(`nothing can be stored: ${why}`);
};
