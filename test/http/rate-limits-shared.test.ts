import { expect } from 'chai';
import { MongoClient } from 'mongodb';
import { RateLimiterRes } from 'rate-limiter-flexible';
import { openMongoReadModelsReader } from '../../src/read-models/mongodb/reader.ts';
import { describeOnMongo } from '../support/mongodb-stores.ts';
import { setClock } from '../support/set-clock.ts';

const POINTS = 5;
/** So long that no window ends within a test. */
const SECONDS = 1_000;

describeOnMongo('A rate limit in MongoDB', ({ url }) => {
  it('counts for all instances from the very first request on, before there are read models', async () => {
    // Given two instances on an empty database
    const readers = [openMongoReadModelsReader(url()), openMongoReadModelsReader(url())];
    const limiters = readers.flatMap((reader) => reader.createLimiter?.(POINTS, SECONDS) ?? []);

    expect(limiters).to.have.length(2);

    // When both get requests of one key at once
    const asked = Array.from({ length: POINTS + 3 }, async (_, index) => {
      try {
        await limiters[index % limiters.length]?.consume('key');
        return 'passed';
      } catch (error) {
        if (error instanceof RateLimiterRes) return 'refused';
        throw error;
      }
    });
    const answers = await Promise.all(asked);
    for (const reader of readers) await reader.close();

    // Then no more pass than may, and a unique index keeps one count per key in later windows too
    expect(answers.filter((answer) => answer === 'passed')).to.have.length(POINTS);
    const client = new MongoClient(url());
    const stored = client.db().collection('rate_limits');
    const counts = await stored.find({ key: 'key' }).toArray();
    const indexes = await stored.indexes();
    await client.close();
    expect(counts).to.have.length(1);
    expect(indexes.find(({ name }) => name === 'key')).to.deep.include({ key: { key: 1 }, unique: true });
  });

  it('begins a window anew that an instance began whose clock was a day ahead', async () => {
    // Given a client over the limit, by a clock that is a day ahead
    const reader = openMongoReadModelsReader(url());
    const limiter = reader.createLimiter?.(POINTS, SECONDS);
    const isRefused = () =>
      limiter?.consume('key of tomorrow').then(
        () => false,
        (error: unknown) => error instanceof RateLimiterRes,
      );
    const setRight = setClock(() => 24 * 3_600_000);
    try {
      for (let count = 0; count < POINTS; count++) expect(await isRefused()).to.equal(false);
      expect(await isRefused()).to.equal(true);
    } finally {
      setRight();
    }

    // When it is right again, then the client has a new window, with a limit
    for (let count = 0; count < POINTS; count++) expect(await isRefused()).to.equal(false);
    expect(await isRefused()).to.equal(true);
    await reader.close();
  });
});
