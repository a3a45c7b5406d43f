import { randomBytes } from 'node:crypto';
import { isIP } from 'node:net';
import { createTransport, type SMTPTransportOptions } from 'nodemailer';
import type { ChannelSender } from './channel-dispatcher.ts';
import { failureName } from './failure-name.ts';

const TIMEOUT_MS = 5_000;
/** Profiles hold unchecked addresses: neither a list nor a line break may reach the SMTP session. */
const ONE_ADDRESS = /^[^\s<>(),;:"\\@]+@[^\s<>(),;:"\\@]+$/;

/** Delivers by mail over the server of an `smtp:` or `smtps:` URL. */
export const createSmtpSender = (url: URL, { timeoutMs = TIMEOUT_MS } = {}): ChannelSender => {
  const transport = createTransport(optionsOf(url));
  const domain = domainOf(hostOf(url));
  const from = { name: 'Hiring service', address: `hiring-service@${domain}` };

  return async (recipient, { subject, text }) => {
    if (!ONE_ADDRESS.test(recipient)) throw new Error('The mail address is not one that mail can be sent to');
    const mail = {
      from,
      to: { name: '', address: recipient },
      subject,
      text,
      messageId: `<${lettersOnly()}@${domain}>`,
      headers: { 'Auto-Submitted': 'auto-generated' },
      signal: AbortSignal.timeout(timeoutMs),
    };
    await transport.sendMail(mail).catch((error: unknown) => {
      throw new Error(`The mail could not be sent: ${failureName(error)}${replyOf(error)}`);
    });
  };
};

/** Only these: an option such as `logger` would show mails or passwords. */
const optionsOf = (url: URL): SMTPTransportOptions => {
  const { searchParams, username, password, port } = url;
  const isOn = (name: string) => searchParams.get(name) === 'true';
  return {
    host: hostOf(url),
    secure: url.protocol === 'smtps:',
    ...(port ? { port: Number(port) } : {}),
    ...(username ? { auth: { user: decodeURIComponent(username), pass: decodeURIComponent(password) } } : {}),
    requireTLS: isOn('requireTLS'),
    ignoreTLS: isOn('ignoreTLS'),
    tls: { rejectUnauthorized: searchParams.get('tls.rejectUnauthorized') !== 'false' },
    disableFileAccess: true,
    disableUrlAccess: true,
  };
};

const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[(.*)\]$/, '$1');

/** RFC 5321, 4.1.3: an IP address stands in brackets. */
const domainOf = (host: string): string => {
  switch (isIP(host)) {
    case 4:
      return `[${host}]`;
    case 6:
      return `[IPv6:${host}]`;
    default:
      return host || 'localhost';
  }
};

/** Random letters: digits could look like a code. */
const lettersOnly = (): string =>
  randomBytes(16)
    .toString('hex')
    .replace(/\d/g, (digit) => 'ghijklmnop'.charAt(Number(digit)));

const replyOf = (error: unknown): string => {
  const reply = error instanceof Error && 'responseCode' in error ? error.responseCode : undefined;
  return typeof reply === 'number' ? ` ${reply}` : '';
};
