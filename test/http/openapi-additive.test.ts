import { expect } from 'chai';
import { hiring } from '../../src/hiring/index.ts';
import { openApiOf } from '../../src/http/openapi.ts';
import { readFile } from '../support/project.ts';
import { factsOf, released } from './openapi-facts.ts';

const description = JSON.stringify(openApiOf(hiring));

/** What the last release says and a description does not, but for what the changelog names. */
const lostIn = (text: string, changelog: string): string[] => {
  const facts = factsOf(JSON.parse(text));
  return readFile(released)
    .trimEnd()
    .split('\n')
    .flatMap((line) => {
      const [name = '', ...words] = line.split(' ');
      const kept = facts.get(name);
      const lost = kept ? words.filter((word) => !kept.includes(word)).map((word) => `${name} ${word}`) : [name];
      return lost.filter((fact) => !changelog.includes(`\`${fact.replace(/[?=].*$/, '')}\``));
    });
};

const [, unreleased = ''] = readFile('CHANGELOG.md').split(/^## .*$/m);

interface Change {
  readonly what: string;
  readonly from: string;
  readonly to: string;
  readonly lost: readonly string[];
}

const changes: readonly Change[] = [
  { what: 'the name of an operation', from: '"listActs"', to: '"acts"', lost: ['listActs'] },
  {
    what: 'the name of a parameter',
    from: '"name":"since"',
    to: '"name":"from"',
    lost: ['listActs query.since=string:date-time'],
  },
  {
    what: 'which parameters have to be sent',
    from: '"name":"since","in":"query","required":false',
    to: '"name":"since","in":"query","required":true',
    lost: ['listActs required='],
  },
  {
    what: 'the name of a schema',
    from: 'ListActsResponse',
    to: 'ListActsAnswer',
    lost: ['listActs 200=application/json:ListActsResponse', 'ListActsResponse'],
  },
  { what: 'a word of an enum', from: '["requested",', to: '["asked",', lost: ['ActPhase requested'] },
  {
    what: 'the name of a member',
    from: '"page":{"type":"integer"}',
    to: '"number":{"type":"integer"}',
    lost: ['AdminPostingCandidateList page=integer', 'ListActsResponse page=integer', 'Pagination page=integer'],
  },
  {
    what: 'whether a member may be null',
    from: '"applied":{"type":"integer"}',
    to: '"applied":{"type":["integer","null"]}',
    lost: ['TabCounts applied=integer'],
  },
  {
    what: 'an answer',
    from: '"409":{"$ref":"#/components/responses/Conflict"},',
    to: '',
    lost: ['applyToPosting 409'],
  },
];

describe('The OpenAPI description, compared with that of the last release', () => {
  it('says what that said, but for what the changelog names', () => {
    expect(lostIn(description, unreleased)).to.deep.equal([]);
  });

  for (const { what, from, to, lost } of changes)
    it(`would not without the changelog, if it changed ${what}`, () => {
      const changed = description.replaceAll(from, to);
      expect(lostIn(changed, '')).to.include.members(lost);
      const named = lostIn(changed, '').map((fact) => `\`${fact.replace(/[?=].*$/, '')}\``);
      expect(lostIn(changed, named.join(' '))).to.deep.equal([]);
    });

  it('may have more operations, parameters, members, words and answers', () => {
    const more = description
      .replaceAll('"page":{', '"more":{"type":"string"},"page":{')
      .replaceAll('["requested",', '["more","requested",');
    expect(more).not.to.equal(description);
    expect(lostIn(more, '')).to.deep.equal([]);
  });
});
