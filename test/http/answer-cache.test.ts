import { expect } from 'chai';
import { toEtaggedBody, createAnswerCache, matchesEtag } from '../../src/http/answer-cache.ts';

const answerOf = (text: string) => toEtaggedBody(Buffer.from(text));

describe('The answers that are kept', () => {
  it('are given as long as all that they were made of is current', () => {
    const answers = createAnswerCache();
    const [one, two] = [{ isCurrent: true }, { isCurrent: true }];
    answers.keep('q', answerOf('a'), [one, two]);
    expect(answers.current('q')?.bytes.toString()).to.equal('a');
    two.isCurrent = false;
    expect(answers.current('q')).to.equal(undefined);
    expect(answers.has('q')).to.equal(true);
    answers.keep('q', answerOf('b'), [one]);
    expect(answers.current('q')?.bytes.toString()).to.equal('b');
  });

  it('are those that were asked for last, where there is no room for all', () => {
    const answers = createAnswerCache(25_000);
    const text = 'x'.repeat(10_000);
    for (const question of ['a', 'b']) answers.keep(question, answerOf(text), []);
    answers.current('a');
    answers.keep('c', answerOf(text), []);
    expect(['a', 'b', 'c'].filter((question) => answers.has(question))).to.deep.equal(['a', 'c']);
  });

  it('leave out one that alone is too large', () => {
    const answers = createAnswerCache(1_000);
    answers.keep('a', answerOf('x'.repeat(2_000)), []);
    expect(answers.has('a')).to.equal(false);
    answers.keep('b', answerOf('x'), []);
    expect(answers.has('b')).to.equal(true);
  });
});

describe('An If-None-Match', () => {
  const etag = '"a-b_c"';
  for (const given of [etag, `W/${etag}`, `"x", ${etag}`, `"x",W/${etag} , "y"`, '*', ' * '])
    it(`names ${etag}: ${given}`, () => expect(matchesEtag(given, etag)).to.equal(true));
  for (const given of ['', '"x"', 'a-b_c', '"A-B_C"', `w/${etag}`, 'W/*', '"*"'])
    it(`does not name ${etag}: ${given}`, () => expect(matchesEtag(given, etag)).to.equal(false));
});
