import { expect } from 'chai';
import { codeMessage } from '../../src/ports/messages.ts';
import { createSmtpSender } from '../../src/ports/smtp-sender.ts';
import { toldBy } from './told-by.ts';
import { startSmtpServer, type SmtpServer } from './smtp-server.ts';
import { failureOf } from '../support/refusal-of.ts';

const ADDRESS = 'jane.doe@example.com';
const CODE = '048213';
const MESSAGE = codeMessage(CODE);

describe('delivery of codes by mail', () => {
  let server: SmtpServer | undefined;
  const start = async (behaviour?: 'refusing' | 'silent' | 'self-signed') => {
    server = await startSmtpServer(behaviour);
    return server;
  };
  const urlOf = ({ port }: SmtpServer, login = '', query = '') => new URL(`smtp://${login}127.0.0.1:${port}${query}`);
  afterEach(async () => {
    await server?.close();
    server = undefined;
  });

  it('sends one mail to the recipient from an address at the host', async () => {
    const smtp = await start();

    await createSmtpSender(urlOf(smtp))(ADDRESS, MESSAGE);

    expect(smtp.mails.map(({ from, to }) => ({ from, to }))).to.deep.equal([
      { from: '<hiring-service@[127.0.0.1]>', to: [`<${ADDRESS}>`] },
    ]);
  });

  it('holds the code once, and no other run of six digits in the whole mail', async () => {
    const smtp = await start();

    await createSmtpSender(urlOf(smtp))(ADDRESS, MESSAGE);

    expect(smtp.mails[0]?.data.match(/\d{6}/g)).to.deep.equal([CODE]);
  });

  it('keeps the code out of the subject', async () => {
    const smtp = await start();

    await createSmtpSender(urlOf(smtp))(ADDRESS, MESSAGE);

    expect(smtp.mails[0]?.data).to.match(/^Subject: Your confirmation code\r?$/m);
  });

  it('logs in with the user and password of the URL, decoded', async () => {
    const smtp = await start();

    await createSmtpSender(urlOf(smtp, 'post%40example.com:p%2Fss@'))(ADDRESS, MESSAGE);

    expect(smtp.logins).to.deep.equal(['\0post@example.com\0p/ss']);
  });

  it('refuses to go on without encryption when the URL requires it', async () => {
    const smtp = await start();

    const failure = await failureOf(createSmtpSender(urlOf(smtp, '', '?requireTLS=true'))(ADDRESS, MESSAGE));

    expect(failure.message).to.equal('The mail could not be sent: ETLS 502');
    expect(smtp.mails).to.deep.equal([]);
  });

  it('sends nothing to a server with a certificate that nobody has signed, unless the URL allows it', async () => {
    const smtp = await start('self-signed');
    const url = (query: string) => new URL(`smtps://127.0.0.1:${smtp.port}${query}`);

    const failure = await failureOf(createSmtpSender(url(''))(ADDRESS, MESSAGE));

    expect(failure.message).to.match(/^The mail could not be sent: /);
    expect(smtp.mails).to.deep.equal([]);
    await createSmtpSender(url('?tls.rejectUnauthorized=false'))(ADDRESS, MESSAGE);
    expect(smtp.mails).to.have.lengthOf(1);
  });

  it('tells of a refused recipient without naming it or the code', async () => {
    const smtp = await start('refusing');

    const failure = await failureOf(createSmtpSender(urlOf(smtp))(ADDRESS, MESSAGE));

    expect(failure.message).to.equal('The mail could not be sent: EENVELOPE 550');
    expect(toldBy(failure)).to.not.match(/jane|048213/);
  });

  it('gives up on a server that does not answer', async () => {
    const smtp = await start('silent');

    const failure = await failureOf(createSmtpSender(urlOf(smtp), { timeoutMs: 50 })(ADDRESS, MESSAGE));

    expect(failure.message).to.match(/^The mail could not be sent: /);
  });

  it('tells of a server that is not there', async () => {
    const smtp = await start();
    const deliver = createSmtpSender(urlOf(smtp));
    await smtp.close();
    server = undefined;

    const failure = await failureOf(deliver(ADDRESS, MESSAGE));

    expect(failure.message).to.equal('The mail could not be sent: ESOCKET');
  });

  for (const address of [
    'jane@example.com, joe@example.com',
    'jane@example.com\r\nRCPT TO:<joe@example.com>',
    'Jane <jane@example.com>',
    'jane',
  ])
    it(`sends nothing to ${JSON.stringify(address)}`, async () => {
      const smtp = await start();

      const failure = await failureOf(createSmtpSender(urlOf(smtp))(address, MESSAGE));

      expect(failure.message).to.equal('The mail address is not one that mail can be sent to');
      expect(smtp.mails).to.deep.equal([]);
    });
});
