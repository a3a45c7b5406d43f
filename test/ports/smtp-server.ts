import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { selfSigned } from './self-signed.ts';

/** A mail as received. */
export interface ReceivedMail {
  readonly from: string;
  readonly to: readonly string[];
  readonly data: string;
}

export interface SmtpServer {
  readonly port: number;
  readonly mails: readonly ReceivedMail[];
  /** The clients' logins, decoded. */
  readonly logins: readonly string[];
  close(): Promise<void>;
}

/**
 * Just enough of RFC 5321 for one client after another.
 *
 * @param behaviour `refusing` answers every recipient with 550 and repeats the address; `silent` never greets;
 *   `self-signed` speaks TLS with a certificate that nobody has signed but itself
 */
export const startSmtpServer = async (
  behaviour: 'accepting' | 'refusing' | 'silent' | 'self-signed' = 'accepting',
): Promise<SmtpServer> => {
  const mails: ReceivedMail[] = [];
  const logins: string[] = [];
  const sockets = new Set<Socket>();

  const converse = (socket: Socket): void => {
    let [from, to, data, rest]: [string, string[], string[] | undefined, string] = ['', [], undefined, ''];
    const say = (line: string) => socket.write(`${line}\r\n`);

    const hear = (line: string): void => {
      if (data) {
        if (line !== '.') {
          data.push(line);
          return;
        }
        mails.push({ from, to, data: data.join('\r\n') });
        [data, to] = [undefined, []];
        say('250 kept');
      } else if (/^EHLO /i.test(line)) {
        say('250-test');
        say('250 AUTH PLAIN');
      } else if (/^AUTH PLAIN /i.test(line)) {
        logins.push(Buffer.from(line.slice('AUTH PLAIN '.length), 'base64').toString('utf8'));
        say('235 welcome');
      } else if (/^MAIL FROM:/i.test(line)) {
        from = line.slice('MAIL FROM:'.length);
        say('250 ok');
      } else if (/^RCPT TO:/i.test(line)) {
        const recipient = line.slice('RCPT TO:'.length);
        if (behaviour !== 'refusing') to.push(recipient);
        say(behaviour !== 'refusing' ? '250 ok' : `550 nobody is ${recipient} here`);
      } else if (/^DATA$/i.test(line)) {
        data = [];
        say('354 go on');
      } else if (/^QUIT$/i.test(line)) {
        say('221 bye');
        socket.end();
      } else {
        say('502 unknown');
      }
    };

    socket.setEncoding('utf8').on('data', (chunk: string) => {
      const lines = (rest + chunk).split('\r\n');
      rest = lines.pop() ?? '';
      lines.forEach(hear);
    });
    if (behaviour !== 'silent') say('220 test');
  };

  const onConnection = (socket: Socket): void => {
    sockets.add(socket);
    // A client that hangs up must not fail the test.
    socket.on('error', () => socket.destroy()).on('close', () => sockets.delete(socket));
    converse(socket);
  };
  const server = behaviour === 'self-signed' ? createTlsServer(selfSigned, onConnection) : createServer(onConnection);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // It listens on TCP.

  return {
    port,
    mails,
    logins,
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
};
