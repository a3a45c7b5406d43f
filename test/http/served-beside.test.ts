import { expect } from 'chai';
import { ids, times } from '../support/examples.ts';
import { freePort } from '../support/free-port.ts';
import { expectError } from './answer-rules.ts';
import { startCheckedService, startWithPorts, type CheckedService } from './checked-service.ts';
import { exchangeBytes } from './raw-socket.ts';
import { putFacts, save } from './stories.ts';

describe('What is served beside the interface', () => {
  let service: CheckedService;

  before(async () => {
    service = await startCheckedService();
  });
  after(() => service.stop());

  it('is /health/live, without credentials', async () => {
    expect(await service.send('GET', '/health/live', { key: null })).to.deep.include({
      status: 200,
      body: { status: 'live' },
    });
  });

  it('is /health/ready, without credentials', async () => {
    expect(await service.send('GET', '/health/ready', { key: null })).to.deep.include({
      status: 200,
      body: { status: 'ready' },
    });
  });

  it('is /openapi.json, without credentials', async () => {
    expect((await service.send('GET', '/openapi.json', { key: null })).status).to.equal(200);
  });

  it('takes GET and HEAD only', async () => {
    for (const path of ['/health/live', '/health/ready', '/metrics', '/docs', '/openapi.json']) {
      expect((await service.sendBytes('HEAD', path)).status, path).to.equal(200);
      const answer = await service.sendBytes('POST', path);
      expectError(answer, 405, /method/);
      expect(answer.headers.get('Allow')?.split(', ')).to.have.members(['GET', 'HEAD']);
    }
  });

  describe('/metrics', () => {
    let response: Response;
    let text: string;
    before('a posting is saved, and the list of saved postings read', async () => {
      const own = await startCheckedService();
      await putFacts(own);
      await save(own);
      await own.send('GET', '/postings/saved', { as: 'professional' });
      response = await fetch(`${own.url}/metrics`);
      text = await response.text();
      await own.stop();
    });

    it('are in the text format of Prometheus, and name what they measure', () => {
      expect(response.status).to.equal(200);
      expect(response.headers.get('Content-Type')).to.match(/^text\/plain; version=0\.0\.4; charset=utf-8$/);
      expect(response.headers.get('X-Content-Type-Options')).to.equal('nosniff');
      expect(response.headers.get('X-Request-Id')).to.be.a('string');
      for (const line of [
        /^http_request_duration_seconds_count\{operation="savePosting",status="200"\} \d+$/m,
        /^http_request_duration_seconds_bucket\{le="\+Inf",operation="getSavedPostings",status="200"\} \d+$/m,
        /^commands_total\{command="savePosting",outcome="done"\} 1$/m,
        /^event_store_append_duration_seconds_count [1-9]\d*$/m,
        /^projection_position\{projection="saved-postings"\} [1-9]\d*$/m,
        /^projection_lag_events\{projection="saved-postings"\} 0$/m,
        /^projection_lag_seconds\{projection="saved-postings"\} 0$/m,
        /^projection_errors\{projection="saved-postings"\} 0$/m,
        /^process_cpu_seconds_total \S+$/m,
      ])
        expect(text).to.match(line);
    });

    it('count refusals and defects apart', async () => {
      let isDefective = false;
      const clock = () => {
        if (isDefective) throw new Error('The test has no clock');
        return new Date(times.start);
      };
      const own = await startWithPorts({ clock });
      const saveUnknown = async () => {
        const body = { postingId: 'unknown' };
        return (await own.send('POST', '/professionals/postings/save', { as: 'professional', body })).status;
      };
      const refused = await saveUnknown();
      isDefective = true;
      const failed = await saveUnknown();
      const counted = await (await fetch(`${own.url}/metrics`)).text();
      await own.stop();
      expect([refused, failed]).to.deep.equal([404, 500]);
      for (const outcome of ['refused', 'failed'])
        expect(counted).to.match(new RegExp(`^commands_total\\{command="savePosting",outcome="${outcome}"\\} 1$`, 'm'));
    });

    it('hold no id of a person or a posting', () => {
      for (const id of Object.values(ids)) expect(text).not.to.include(id);
    });

    it('have a port of their own where one is configured, and are then not on the other', async () => {
      const metricsPort = await freePort();
      const other = await startCheckedService({ metricsPort });
      const own = await fetch(`http://127.0.0.1:${metricsPort}/metrics`);
      const nothing = await fetch(`http://127.0.0.1:${metricsPort}/nothing`);
      const main = await fetch(`${other.url}/metrics`);
      const [text, told] = [await own.text(), await nothing.text()];
      const url = `http://127.0.0.1:${metricsPort}`;
      const badTarget = await exchangeBytes(url, 'GET http://[ HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
      const noHost = await exchangeBytes(url, 'GET /metrics HTTP/1.1\r\nConnection: close\r\n\r\n');
      await other.stop();
      expect(own.status).to.equal(200);
      expect(text).to.include('projection_lag_events');
      expect([nothing.status, main.status]).to.deep.equal([404, 404]);
      expect([badTarget, noHost].map((answer) => /^HTTP\/1\.1 (\d+)/.exec(answer)?.[1])).to.deep.equal(['400', '400']);
      expect(JSON.parse(told)).to.deep.equal({ error: 'There is nothing here' });
      for (const { headers } of [own, nothing]) {
        expect(headers.get('X-Content-Type-Options')).to.equal('nosniff');
        expect(headers.get('X-Request-Id')).to.be.a('string');
      }
    });
  });

  describe('/docs', () => {
    it('is a page that references nothing outside', async () => {
      const response = await fetch(`${service.url}/docs`);
      const page = await response.text();
      expect(response.status).to.equal(200);
      expect(response.headers.get('Content-Type')).to.equal('text/html; charset=utf-8');
      const references = [...page.matchAll(/(?:src|href|action|data)\s*=\s*["']?([^"'\s>]+)/g)].map(
        ([, reference]) => reference,
      );
      expect(references).to.have.length.above(2);
      for (const reference of references) expect(reference).to.match(/^(?:\/docs\/|data:,$)/);
      expect(page).not.to.match(/https?:\/\/|<script>|style="/);
    });

    it('has assets that are there', async () => {
      const page = await (await fetch(`${service.url}/docs`)).text();
      for (const [, path = ''] of page.matchAll(/(?:src|href)="(\/docs\/[^"]+)"/g)) {
        const response = await fetch(service.url + path);
        expect(response.status, path).to.equal(200);
        expect(response.headers.get('Content-Type')).to.match(
          path.endsWith('.css') ? /^text\/css/ : /^text\/javascript/,
        );
        expect((await response.text()).length).to.be.above(50);
      }
    });

    it('forbids to load what is not its own', async () => {
      for (const path of ['/docs', '/docs/start.js']) {
        const { headers } = await fetch(service.url + path);
        const policy = headers.get('Content-Security-Policy') ?? '';
        expect(policy).to.include("default-src 'self'").and.include("frame-ancestors 'none'");
        expect(policy).not.to.match(/https?:|\*|unsafe-eval|script-src[^;]*unsafe-inline/);
        expect(headers.get('X-Content-Type-Options')).to.equal('nosniff');
      }
    });
  });
});
