import { expect } from 'chai';
import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { createClientAddressFinder, networkOf } from '../../../src/http/edge/client-address.ts';
import { isLoopback, isLoopbackHost, parseCidrBlock } from '../../../src/lib/ip-address.ts';
import { blocksOf } from '../forwarded.ts';
import { startCheckedService, type CheckedService } from '../checked-service.ts';

/** A request that comes from an address, perhaps through proxies. */
const requestFrom = (remoteAddress: string | undefined, forwarded?: string): IncomingMessage => {
  const request = new IncomingMessage(Object.defineProperty(new Socket(), 'remoteAddress', { value: remoteAddress }));
  if (forwarded !== undefined) request.headers['x-forwarded-for'] = forwarded;
  return request;
};

describe('The address of a client', () => {
  const proxies = blocksOf(['10.0.0.0/8', '2001:db8::/32', '192.0.2.7']);
  const cases: readonly (readonly [string, string | undefined, string | undefined, string])[] = [
    ["the socket's", '203.0.113.1', undefined, '203.0.113.1'],
    ["the socket's, whatever is forwarded by one that is not trusted", '203.0.113.1', '198.51.100.1', '203.0.113.1'],
    ['the one that a trusted proxy forwards', '10.1.2.3', '198.51.100.1', '198.51.100.1'],
    ['the right-most one that is not trusted', '192.0.2.7', '1.1.1.1, 198.51.100.1, 10.9.9.9', '198.51.100.1'],
    ['the left-most one where all are trusted', '10.1.2.3', '10.0.0.1, 10.0.0.2', '10.0.0.1'],
    ["the proxy's where nothing is forwarded", '10.1.2.3', undefined, '10.1.2.3'],
    ['unknown where nonsense is forwarded', '10.1.2.3', '?', 'unknown'],
    ['unknown where nothing is left of a comma', '10.1.2.3', '10.0.0.5,', 'unknown'],
    ['without the port that a proxy adds', '10.1.2.3', '198.51.100.1:4711', '198.51.100.1'],
    ['without the port that a proxy adds to IPv6', '10.1.2.3', '[2001:DB9::1]:4711', '32.1.13.185.0.0.0.0'],
    ['IPv4 where it comes as IPv6', '::ffff:10.1.2.3', '::ffff:198.51.100.1', '198.51.100.1'],
    ['found behind a proxy with IPv6', '2001:db8::5', '198.51.100.1', '198.51.100.1'],
    ['unknown where the connection has ended', undefined, '198.51.100.1', 'unknown'],
  ];
  for (const [name, socket, forwarded, expected] of cases)
    it(`is ${name}`, () => {
      const found = networkOf(createClientAddressFinder(proxies)(requestFrom(socket, forwarded)));
      expect(found).to.equal(expected);
    });

  it('counts for IPv6 as its network of 64 bits', () => {
    const networkAt = (address: string) => networkOf(createClientAddressFinder([])(requestFrom(address)));
    expect(networkAt('2001:db8:1:2::1')).to.equal(networkAt('2001:db8:1:2:ffff::9'));
    expect(networkAt('2001:db8:1:2::1')).to.not.equal(networkAt('2001:db8:1:3::1'));
  });

  it('is loopback for this machine alone', () => {
    const isLocal = (address: string) => isLoopback(createClientAddressFinder([])(requestFrom(address)));
    for (const address of ['127.0.0.1', '127.9.9.9', '::1', '::ffff:127.0.0.1'])
      expect(isLocal(address), address).to.equal(true);
    for (const address of ['10.0.0.1', '128.0.0.1', '::2', '::ffff:10.0.0.1', 'fe80::1'])
      expect(isLocal(address), address).to.equal(false);
  });

  it('is this machine by name for localhost alone', () => {
    for (const host of ['localhost', 'LocalHost', '127.0.0.1', '::1', '[::1]', '::ffff:127.0.0.1'])
      expect(isLoopbackHost(host), host).to.equal(true);
    for (const host of ['', '0.0.0.0', '::', 'localhost.example.com', '127.0.0.1.example.com', 'db', '10.0.0.1'])
      expect(isLoopbackHost(host), host).to.equal(false);
  });

  it('can be within an address or a block, and in nothing else', () => {
    for (const text of ['10.0.0.0/8', '10.0.0.1', '::1', 'fd00::/8', '0.0.0.0/0', '::/0', '10.0.0.1/32'])
      expect(parseCidrBlock(text), text).to.be.an('array');
    for (const text of [
      '',
      '10.0.0',
      '10.0.0.0/33',
      'fd00::/129',
      '10.0.0.0/',
      '10.0.0.0/x',
      '1',
      '0x7f.0.0.1',
      'proxy',
      '10.0.0.0/8/8',
      '010.0.0.1',
      '10.0.0.1:8080',
      '[::1]:80/64',
    ])
      expect(parseCidrBlock(text), text).to.equal(undefined);
  });
});

describe('/metrics on the port of the service', () => {
  const TRUSTED = 'that is trusted';
  const OTHER = 'that is not trusted';
  const services = new Map<string, CheckedService>();
  before(async () => {
    services.set(TRUSTED, await startCheckedService({ trustedProxies: blocksOf(['127.0.0.0/8']) }));
    services.set(OTHER, await startCheckedService());
  });
  after(() => Promise.all([...services.values()].map((service) => service.stop())));

  const statusAt = async (proxy: string, headers: Record<string, string>) =>
    (await fetch(`${services.get(proxy)?.url ?? ''}/metrics`, { headers })).status;

  for (const proxy of [TRUSTED, OTHER])
    it(`are a 200 for a client on this machine, beside a proxy ${proxy}`, async () => {
      expect(await statusAt(proxy, {})).to.equal(200);
    });

  it('are a 200 for a client on this machine that a trusted proxy forwards', async () => {
    expect(await statusAt(TRUSTED, { 'X-Forwarded-For': '127.0.0.1', Via: '1.1 Caddy' })).to.equal(200);
  });

  for (const [proxy, headers] of [
    [TRUSTED, { 'X-Forwarded-For': '203.0.113.1' }],
    [TRUSTED, { 'X-Forwarded-For': '127.0.0.1, 203.0.113.1' }],
    [TRUSTED, { 'X-Forwarded-For': ',' }],
    [TRUSTED, { Via: '1.1 Caddy' }],
    [TRUSTED, { Forwarded: 'for=203.0.113.1' }],
    [OTHER, { 'X-Forwarded-For': '203.0.113.1' }],
    [OTHER, { 'X-Forwarded-For': '127.0.0.1' }],
    [OTHER, { 'X-Real-IP': '127.0.0.1' }],
    [OTHER, { Via: '1.1 Caddy' }],
    [OTHER, { Forwarded: 'for=127.0.0.1' }],
  ] as const)
    it(`are a 404 through a proxy on this machine ${proxy}, by ${Object.entries(headers).join()}`, async () => {
      expect(await statusAt(proxy, { ...headers })).to.equal(404);
    });
});
