import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { Type } from '../../src/schema/typebox.ts';
import { CliError } from '../../src/cli/parts/cli-error.ts';
import { askService, ServiceInterruptedError } from '../../src/cli/parts/service-client.ts';
import { terminalIn } from '../support/cli.ts';
import { rejectionOf } from '../support/refusal-of.ts';

describe('A service that is asked by a command', () => {
  let server: Server | undefined;
  afterEach(() => server?.closeAllConnections());
  afterEach(() => server?.close());

  /** What asking a service fails with that answers like this. */
  const failureAt = async (answer: RequestListener, signal?: AbortSignal): Promise<unknown> => {
    server = createServer(answer).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { terminal } = terminalIn('.', { HIRING_API_KEY: 'key', HIRING_TOKEN: 'token' });
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const operation = { path: '/', answer: Type.Object({}) };
    return rejectionOf(
      askService({ terminal, url, reason: undefined }, operation, { params: {}, parameters: {} }, signal),
    );
  };
  const cut =
    (status: number): RequestListener =>
    (_, response) => {
      response.writeHead(status, { 'Content-Length': 1_000 });
      response.write('{"a', () => response.destroy());
    };

  it('may give later what was cut', async () => {
    expect(await failureAt(cut(200))).to.be.instanceOf(ServiceInterruptedError);
    expect(await failureAt(cut(503))).to.be.instanceOf(ServiceInterruptedError);
  });

  it('has refused with an error that was cut, by its status', async () => {
    const error = await failureAt(cut(500));
    expect(error).to.be.instanceOf(CliError);
    expect(String(error)).to.match(/refused: the status 500$/);
  });

  it('may answer later where it is late', async () => {
    const error = await failureAt(() => undefined, AbortSignal.timeout(50));
    expect(error).to.be.instanceOf(ServiceInterruptedError);
    expect(String(error)).to.match(/it is late$/);
  });

  it('is no longer asked once the command is to end', async () => {
    const ending = new AbortController();
    const ended = new CliError('Ended by SIGINT');
    expect(await failureAt(() => ending.abort(ended), ending.signal)).to.equal(ended);
  });
});
