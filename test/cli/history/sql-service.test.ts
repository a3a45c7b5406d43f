import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect } from 'chai';
import { readPackageVersion } from '../../../src/lib/package-version.ts';
import { cuttingProxy } from '../../support/cutting-proxy.ts';
import { bodies, ids } from '../../support/examples.ts';
import { historyStage } from './stage.ts';

describe('hiring history sql, asked of a service', () => {
  const { directory, url, historyAt, replaceLog, applyAndHire } = historyStage();
  const sql = (statement: string, ...more: readonly string[]) =>
    historyAt(url(), 'sql', statement, '--output', 'csv', '--copy', join(directory(), 'copy'), ...more);

  it('copies what is new, and has the service make read models', async () => {
    const { act, candidate: id, applied, hired } = await applyAndHire();
    const members = 'officeStatus, isShortlisted, professionalName';
    const first = await sql(`SELECT ${members} FROM posting_candidates`);
    expect(first.stdout).to.match(/^officeStatus,isShortlisted,professionalName\r\nhired,false,masked-\w+\r\n$/);
    expect(first.stderr).to.equal(
      `hiring: at position ${hired.position}, by version ${readPackageVersion()}, personal data masked\n`,
    );
    const list = `/postings/${ids.posting}/candidates`;
    await act('office', 'PATCH', `${list}/${id}`, { isShortlisted: true });
    const second = await sql(`SELECT a.officeStatus AS before, b.isShortlisted AS after
      FROM posting_candidates_at('${applied.position}') AS a JOIN posting_candidates AS b USING (id)`);
    expect(second.stdout).to.equal('before,after\r\napplied,true\r\n');
    const types = await sql(`SELECT type FROM events WHERE stream = 'candidate-${id}' ORDER BY position`);
    expect(types.stdout).to.equal('type\r\nCandidateApplied\r\nCandidateHired\r\nCandidateShortlistChanged\r\n');
  });

  it('makes the copy of another event log anew', async () => {
    const { service } = await applyAndHire();
    const candidates = 'SELECT candidateId FROM CandidateHired';
    await sql(candidates);
    await service.end();
    await replaceLog();
    const { candidate: id } = await applyAndHire();
    const { stdout, stderr } = await sql(candidates);
    expect(stdout).to.equal(`candidateId\r\n${id}\r\n`);
    expect(stderr).to.include(
      'the warehouse is of another event log or code, has other masks or is damaged: made anew',
    );
  });

  it('does not take an answer for whole that a proxy has cut at a line', async () => {
    await applyAndHire();
    const proxy = createServer((request, response) => {
      const { headers } = request;
      void fetch(url() + (request.url ?? ''), { headers: headers as Record<string, string> }).then(async (answer) => {
        const text = await answer.text();
        const isOfRows = request.url?.startsWith('/history/read-models/') ?? false;
        const made = [...answer.headers].filter(([name]) => name.startsWith('history-'));
        response.writeHead(answer.status, made);
        response.end(isOfRows ? text.slice(0, -1) : text);
      });
    });
    proxy.listen(0, '127.0.0.1');
    await once(proxy, 'listening');
    const { port } = proxy.address() as AddressInfo;
    const through = `http://127.0.0.1:${port}`;
    const ask = (service: string) =>
      historyAt(service, 'sql', 'SELECT count(*) AS n FROM posting_candidates', '--output', 'csv');
    const cut = await ask(through);
    expect([cut.code, cut.stdout]).to.deep.equal([2, '']);
    expect(cut.stderr).to.include('ended its answer too early: its last line is missing');
    proxy.closeAllConnections();
    proxy.close();
  });

  it('asks for the rest of events and of rows where answers are cut', async () => {
    const { act } = await applyAndHire();
    for (const id of ['p2', 'p3', 'p4', 'p5'])
      await act(undefined, 'PUT', `/internal/professionals/${id}`, bodies.professional);
    const statement = 'SELECT count(*) AS profiles, (SELECT count(*) FROM events) AS events FROM professional_profiles';
    const whole = await sql(statement);
    expect(whole.code, whole.stderr).to.equal(0);
    // Rows are asked for from the first one on: an answer is cut later than the one before.
    const cutting = await cuttingProxy(url(), (answer) => 1_000 * answer);
    try {
      const cut = await historyAt(cutting.url, 'sql', statement, '--output', 'csv');
      expect(cut.stdout, cut.stderr).to.equal(whole.stdout);
      expect(cut.stderr).to.include('ended its answer too early');
    } finally {
      await cutting.end();
    }
  });

  it('shows personal data for a reason, which the service records', async () => {
    const { act } = await applyAndHire();
    const asked = ['--personal-data', '--reason', 'a wrong name'];
    const { stdout } = await sql('SELECT lastName FROM ProfessionalRecorded', ...asked);
    expect(stdout).to.equal(`lastName\r\n${bodies.professional.lastName}\r\n`);
    expect(existsSync(join(directory(), 'copy', 'personal'))).to.equal(false);
    const { body } = await act('admin', 'GET', '/admin/audit');
    expect(JSON.stringify(body)).to.include('a wrong name').and.include('history search');
  });
});
