import { expect } from 'chai';
import { codeMessage } from '../../src/ports/messages.ts';
import { createSmsWebhookSender } from '../../src/ports/sms-webhook-sender.ts';
import { toldBy } from './told-by.ts';
import { startWebServer, type Answer, type WebServer } from '../support/web-server.ts';
import { failureOf } from '../support/refusal-of.ts';

const NUMBER = '+14155550123';
const MESSAGE = codeMessage('048213');

describe('delivery of codes by the SMS webhook', () => {
  let server: WebServer | undefined;
  const start = async (answer: Answer) => {
    server = await startWebServer(() => answer);
    return server;
  };
  afterEach(async () => {
    await server?.close();
    server = undefined;
  });

  it('posts recipient and text as JSON', async () => {
    const web = await start({ status: 202 });

    await createSmsWebhookSender(new URL(`${web.url}/send?channel=sms`))(NUMBER, MESSAGE);

    const [request] = web.requests;
    expect(request).to.include({ method: 'POST', url: '/send?channel=sms' });
    expect(request?.headers['content-type']).to.equal('application/json');
    expect(JSON.parse(request?.body ?? '')).to.deep.equal({
      to: NUMBER,
      text: 'Your confirmation code is 048213. It is valid for 10 minutes. Please do not share it with anyone.',
    });
  });

  for (const status of [200, 204, 299])
    it(`takes ${status} for success`, async () => {
      const web = await start({ status });

      await createSmsWebhookSender(new URL(web.url))(NUMBER, MESSAGE);

      expect(web.requests).to.have.length(1);
    });

  for (const status of [400, 500, 503])
    it(`takes ${status} for a failure, and tells nothing of what was sent`, async () => {
      const web = await start({ status, body: `no such number: ${NUMBER}` });

      const failure = await failureOf(createSmsWebhookSender(new URL(web.url))(NUMBER, MESSAGE));

      expect(failure.message).to.equal(`The SMS webhook answered ${status}`);
      expect(toldBy(failure)).to.not.match(/4155550123|048213/);
    });

  it('does not follow a redirect', async () => {
    server = await startWebServer(({ url }) =>
      url === '/moved' ? { status: 200 } : { status: 302, location: '/moved' },
    );

    const failure = await failureOf(createSmsWebhookSender(new URL(server.url))(NUMBER, MESSAGE));

    expect(failure.message).to.equal('The SMS webhook answered 302');
    expect(server.requests).to.have.length(1);
  });

  it('does not read what is answered', async () => {
    const web = await start({ status: 200, body: 'x'.repeat(16_384), isEndless: true });

    await createSmsWebhookSender(new URL(web.url))(NUMBER, MESSAGE);

    expect(web.requests).to.have.length(1);
  });

  it('gives up on a webhook that does not answer', async () => {
    const web = await start(undefined);

    const failure = await failureOf(createSmsWebhookSender(new URL(web.url), { timeoutMs: 50 })(NUMBER, MESSAGE));

    expect(failure.message).to.equal('The SMS webhook could not be reached: TimeoutError');
  });

  it('tells of a webhook that is not there without its address', async () => {
    const web = await start({ status: 200 });
    await web.close();
    server = undefined;

    const failure = await failureOf(createSmsWebhookSender(new URL(`${web.url}/?token=hidden`))(NUMBER, MESSAGE));

    expect(failure.message).to.equal('The SMS webhook could not be reached: ECONNREFUSED');
    expect(toldBy(failure)).to.not.include('hidden');
  });
});
