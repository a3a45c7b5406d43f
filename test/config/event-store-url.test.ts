import { expect } from 'chai';
import { loadConfig } from '../../src/config/config.ts';
import { faultOf } from './environments.ts';

const READ_MODEL_URL = 'mongodb://mongo/hiring';
const urlWith = (options: string) => `esdb://admin:changeit@one:2113,two:2113${options}`;

const FILE = encodeURIComponent(import.meta.filename);

describe('The options in EVENT_STORE_URL', () => {
  for (const options of [
    '',
    '/?tls=false',
    `?tls=true&tlsCAFile=${FILE}&nodePreference=leader&keepAliveInterval=10000`,
    `?userCertFile=${FILE}&userKeyFile=${FILE}&connectionName=hiring&defaultDeadline=5000`,
  ])
    it(`may be ${options || 'left out'}`, () => {
      const EVENT_STORE_URL = urlWith(options);
      expect(loadConfig({ EVENT_STORE_URL, READ_MODEL_URL }).stores.eventStore).to.include({ url: EVENT_STORE_URL });
    });

  // For these the client's own error would print the whole URL.
  for (const options of [
    '?',
    '?foo=1',
    '?tls',
    '?tls=',
    '?tls=yes',
    '?tls=true&',
    '?tlsCAFile=%zz',
    '?keepAliveTimeout=soon',
    '?tlsVerifyCert=false',
    '?throwOnAppendFailure=false',
  ])
    it(`are refused without showing the value: ${options}`, () => {
      expect(faultOf({ EVENT_STORE_URL: urlWith(options), READ_MODEL_URL })).to.match(
        /^EVENT_STORE_URL has an option that is not known, or no value for one; allowed: tls, tlsCAFile, [A-Za-z, ]* with & between them$/,
      );
    });

  it('are refused where they name a file that is not there', () => {
    expect(faultOf({ EVENT_STORE_URL: urlWith('?tlsCAFile=%2Fetc%2Fno-ca.crt'), READ_MODEL_URL })).to.equal(
      'EVENT_STORE_URL has tlsCAFile=%2Fetc%2Fno-ca.crt, and no such file is there; allowed: a file that is there',
    );
  });

  for (const options of [
    '?nodePreference=follower',
    '?tls=false&nodePreference=random',
    '?nodePreference=read_only_replica&tls=false',
    '?nodePreference=leader&nodePreference=follower',
    '?nodePreference=Leader',
  ])
    it(`are refused where a node may be asked that is behind: ${options}`, () => {
      expect(faultOf({ EVENT_STORE_URL: urlWith(options), READ_MODEL_URL })).to.equal(
        'EVENT_STORE_URL has a nodePreference other than the leader, whose answers alone are new; allowed: nodePreference=leader',
      );
    });
});
