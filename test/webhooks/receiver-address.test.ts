import { expect } from 'chai';
import { parseCidrBlock } from '../../src/lib/ip-address.ts';
import { isAllowedAddress } from '../../src/webhooks/receiver-address.ts';

const block = (text: string) => parseCidrBlock(text) ?? expect.fail();
const usual = { networks: [], isLoopbackAllowed: false };

describe('the address of a receiver', () => {
  for (const address of ['93.184.215.14', '8.8.8.8', '2606:4700::6810:84e5', '::ffff:8.8.8.8'])
    it(`may be ${address}`, () => {
      expect(isAllowedAddress(address, usual)).to.equal(true);
    });

  const internal = [
    '127.0.0.1',
    '127.8.8.8',
    '::1',
    '0.0.0.0',
    '::',
    '10.0.0.1',
    '172.16.0.1',
    '192.168.1.1',
    '100.64.0.1',
    '198.18.0.1',
    '192.0.2.1',
    '203.0.113.7',
    '224.0.0.1',
    '255.255.255.255',
    '240.0.0.1',
    'fc00::1',
    'ff02::1',
    '2001:db8::1',
    '::ffff:127.0.0.1',
    '::ffff:10.0.0.1',
    // These stand for an address of IPv4.
    '64:ff9b::a00:1',
    '2002:a00:1::',
    '2001:0:a00:1::',
    '::7f00:1',
    '::a9fe:a9fe',
    // Nobody has these.
    '100:0:0:1::1',
    '4000::1',
    'localhost',
    '',
  ];
  for (const address of internal)
    it(`may not be ${address === '' ? 'empty' : address}`, () => {
      expect(isAllowedAddress(address, usual)).to.equal(false);
    });

  it('may be in an allowed network', () => {
    const allowed = { ...usual, networks: [block('10.1.0.0/16'), block('fd12::/16')] };
    const found = ['10.1.2.3', '10.2.2.3', 'fd12::3', 'fd13::3'].map((each) => isAllowedAddress(each, allowed));
    expect(found).to.deep.equal([true, false, true, false]);
  });

  it('may be on this machine in the demo', () => {
    expect(isAllowedAddress('127.0.0.1', { ...usual, isLoopbackAllowed: true })).to.equal(true);
  });

  for (const address of [
    '169.254.169.254',
    '169.254.170.2',
    '::ffff:169.254.169.254',
    'fe80::1',
    'fe80::a9fe:a9fe',
    'fd00:ec2::254',
    'fd20:ce::254',
    '100.100.100.200',
    '168.63.129.16',
    '192.0.0.192',
  ])
    it(`is never ${address}, whatever is allowed`, () => {
      const all = { networks: [block('0.0.0.0/0'), block('::/0')], isLoopbackAllowed: true };
      expect(isAllowedAddress(address, all)).to.equal(false);
    });
});
