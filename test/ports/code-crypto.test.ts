import { expect } from 'chai';
import { createCodeCrypto } from '../../src/ports/code-crypto.ts';

describe('What is derived with CODE_SECRET', () => {
  const ours = createCodeCrypto('one secret of thirty-two bytes or more');
  const others = createCodeCrypto('another secret of thirty-two bytes or so');

  it('is another with another secret, so that what is stored cannot be guessed at', () => {
    expect(ours.hashCode('id', '123456')).not.to.equal(others.hashCode('id', '123456'));
    expect(ours.fingerprint('{"code":"123456"}')).not.to.equal(others.fingerprint('{"code":"123456"}'));
    expect(ours.tokenOf('id')).not.to.equal(others.tokenOf('id'));
  });

  it('is the same again with the same secret', () => {
    const again = createCodeCrypto('one secret of thirty-two bytes or more');
    expect(again.hashCode('id', '123456')).to.equal(ours.hashCode('id', '123456'));
    expect(again.fingerprint('request')).to.equal(ours.fingerprint('request'));
    expect(again.tokenOf('id')).to.equal(ours.tokenOf('id'));
  });

  it('knows its own tokens and no others', () => {
    const token = ours.tokenOf('id');
    expect(ours.codeIdOf(token)).to.equal('id');
    for (const wrong of ['', '.', 'id', `${token}x`, token.slice(1), others.tokenOf('id')])
      expect(ours.codeIdOf(wrong), wrong).to.equal(undefined);
  });
});
