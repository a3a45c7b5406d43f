import { expect } from 'chai';
import { createOsrmRouter } from '../../src/process-managers/road-router.ts';
import { startWebServer, type Answer, type WebServer } from '../support/web-server.ts';
import { failureOf } from '../support/refusal-of.ts';

const FROM = { latitude: 37.7749, longitude: -122.4194 };
const TO = { latitude: 37.8044, longitude: -122.2712 };

const answerOf = (answer: unknown, status = 200): Answer => ({ status, body: JSON.stringify(answer) });
const found = (distance: unknown, duration: unknown) =>
  answerOf({ code: 'Ok', routes: [{ distance, duration, legs: [] }], waypoints: [] });

describe('the road router over OSRM', () => {
  let server: WebServer | undefined;
  const start = async (answer: Answer) => {
    server = await startWebServer(() => answer);
    return server;
  };
  afterEach(async () => {
    await server?.close();
    server = undefined;
  });

  it('gives miles and an ISO 8601 duration of whole minutes', async () => {
    const web = await start(found(20_116.8, 1_290));

    expect(await createOsrmRouter(new URL(web.url))(FROM, TO)).to.deep.equal({ roadDistance: 12.5, eta: 'PT22M' });
  });

  for (const base of ['', '/', '/osrm', '/osrm/'])
    it(`asks for longitude before latitude below the base '${base}'`, async () => {
      const web = await start(found(1, 1));

      await createOsrmRouter(new URL(web.url + base))(FROM, TO);

      expect(web.requests.map(({ method, url }) => `${String(method)} ${String(url)}`)).to.deep.equal([
        `GET ${base.replace(/\/$/, '')}/route/v1/driving/-122.4194,37.7749;-122.2712,37.8044?overview=false`,
      ]);
    });

  it('keeps the query of the base', async () => {
    const web = await start(found(1, 1));

    await createOsrmRouter(new URL(`${web.url}/?key=one`))(FROM, TO);

    expect(web.requests[0]?.url).to.match(/\?key=one&overview=false$/);
  });

  it('writes coordinates without exponents', async () => {
    const web = await start(found(1, 1));

    await createOsrmRouter(new URL(web.url))(
      { latitude: 1e-7, longitude: -1e-7 },
      { latitude: 1.23456789, longitude: 2 },
    );

    expect(web.requests[0]?.url).to.include('/driving/0,0;2,1.234568?');
  });

  it('tells of OSRM’s reason when there is no way', async () => {
    const web = await start(answerOf({ code: 'NoRoute', message: 'from -122.4194' }, 400));

    const failure = await failureOf(createOsrmRouter(new URL(web.url))(FROM, TO));

    expect(failure.message).to.equal(
      'The road router answered 400 NoRoute: answer/routes is required; answer/code must be "Ok"',
    );
  });

  const unusable: [string, Answer, string][] = [
    [
      'no routes',
      answerOf({ code: 'Ok', routes: [] }),
      'The road router answered 200 Ok: answer/routes must have at least 1 entry',
    ],
    [
      'a distance that is a text',
      found('12', 60),
      'The road router answered 200 Ok: answer/routes/0/distance must be a number',
    ],
    ['no duration', found(12, undefined), 'The road router answered 200 Ok: answer/routes/0/duration is required'],
    ['a negative duration', found(12, -1), 'The road router answered 200 Ok: answer/routes/0/duration must be >= 0'],
    [
      'another code beside a route',
      answerOf({ code: 'Error', routes: [{ distance: 1, duration: 1 }] }),
      'The road router answered 200 Error: answer/code must be "Ok"',
    ],
    ['a list', answerOf([]), 'The road router answered 200: answer must be an object'],
    ['no JSON', { status: 502, body: '<html>' }, 'The road router gave no usable answer: SyntaxError'],
  ];
  for (const [name, answer, message] of unusable)
    it(`refuses an answer with ${name}`, async () => {
      const web = await start(answer);

      expect((await failureOf(createOsrmRouter(new URL(web.url))(FROM, TO))).message).to.equal(message);
    });

  it('gives up on a server that does not answer', async () => {
    const web = await start(undefined);

    const failure = await failureOf(createOsrmRouter(new URL(web.url), { timeoutMs: 50 })(FROM, TO));

    expect(failure.message).to.equal('The road router gave no usable answer: TimeoutError');
  });

  it('does not follow a redirect', async () => {
    const { body = '' } = found(1, 1) ?? {};
    const web = await start({ status: 302, location: '/elsewhere', body });

    const failure = await failureOf(createOsrmRouter(new URL(web.url))(FROM, TO));

    expect(failure.message).to.equal('The road router answered 302: answer must be an object');
    expect(web.requests).to.have.length(1);
  });

  it('reads no more of an answer than one of OSRM can have', async () => {
    const web = await start({ status: 200, body: 'x'.repeat(16_384), isEndless: true });

    const failure = await failureOf(createOsrmRouter(new URL(web.url))(FROM, TO));

    expect(failure.message).to.equal('The road router gave no usable answer: TooLongError');
  });

  it('gives up on an answer that does not end', async () => {
    const web = await start({ status: 200, body: '', isEndless: true });

    const failure = await failureOf(createOsrmRouter(new URL(web.url), { timeoutMs: 50 })(FROM, TO));

    expect(failure.message).to.equal('The road router gave no usable answer: TimeoutError');
  });

  it('tells of a server that is not there without places', async () => {
    const web = await start(found(1, 1));
    await web.close();
    server = undefined;

    const failure = await failureOf(createOsrmRouter(new URL(web.url))(FROM, TO));

    expect(failure.message).to.equal('The road router gave no usable answer: ECONNREFUSED');
  });
});
