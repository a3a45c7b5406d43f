import { expect } from 'chai';
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { eventually } from '../support/eventually.ts';
import { openLink, type Link } from './link.ts';

/** A server that records what it gets, and echoes it. */
const startEcho = async () => {
  let heard = '';
  const server: Server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.on('data', (chunk: Buffer) => {
      heard += chunk.toString();
      socket.write(chunk);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return { url: `esdb://127.0.0.1:${port}`, heard: () => heard, close: () => server.close() };
};

describe('A link between a process and a server', () => {
  let echo: Awaited<ReturnType<typeof startEcho>>;
  let link: Link;
  beforeEach(async () => {
    echo = await startEcho();
  });
  afterEach(async () => {
    await link.close();
    echo.close();
  });

  const open = async (): Promise<{ readonly socket: Socket; readonly answered: () => string }> => {
    let answered = '';
    const port = Number(/:(\d+)$/.exec(link.urlOf(echo.url))?.[1]);
    const socket = connect(port, '127.0.0.1');
    socket.on('error', () => undefined);
    socket.on('data', (chunk: Buffer) => (answered += chunk.toString()));
    await once(socket, 'connect');
    return { socket, answered: () => answered };
  };

  it('lets nothing through while it is stalled, and then all of it in its order', async () => {
    link = await openLink(echo.url);
    const { socket, answered } = await open();
    socket.write('one ');
    await eventually('it is answered', () => answered() === 'one ');
    link.stall();
    socket.write('two ');
    socket.write('three');
    const other = await open();
    other.socket.write(' four');
    expect(echo.heard()).to.equal('one ');
    link.release();
    await eventually('all is answered', () => answered() === 'one two three' && other.answered() === ' four');
  });

  it('ends connections and refuses new ones while it is shut', async () => {
    link = await openLink(echo.url);
    const { socket } = await open();
    link.shut();
    await once(socket, 'close');
    const refused = await open();
    await once(refused.socket, 'close');
    link.release();
    const { socket: again, answered } = await open();
    again.write('one');
    await eventually('it is answered', () => answered() === 'one');
  });

  it('delivers what it holds of a connection that has ended, where it is to', async () => {
    link = await openLink(echo.url, { isHeldKept: true });
    const held = link.holdFrom(() => true);
    const { socket } = await open();
    socket.write('one');
    await held;
    socket.destroy();
    await once(socket, 'close');
    const { socket: other, answered } = await open();
    other.write(' two');
    expect(echo.heard()).to.equal('');
    link.release();
    await eventually('the server has heard both', () => echo.heard().length === 7 && answered() === ' two');
  });

  it('waits for nothing any more once it was released', async () => {
    link = await openLink(echo.url);
    void link.holdFrom(() => true);
    link.release();
    const { socket, answered } = await open();
    socket.write('one');
    await eventually('it is answered', () => answered() === 'one');
  });
});
