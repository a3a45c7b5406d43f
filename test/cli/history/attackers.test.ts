import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { noticeDecider } from '../../../src/domain/notices.ts';
import { officeDecider } from '../../../src/domain/office.ts';
import { phoneCodeRequestDecider } from '../../../src/domain/phone-code-requests.ts';
import { postingDecider } from '../../../src/domain/posting.ts';
import { professionalDecider } from '../../../src/domain/professional.ts';
import { savedPostingsDecider } from '../../../src/domain/saved-postings.ts';
import { userDecider } from '../../../src/domain/user.ts';
import { historyReadModels } from '../../../src/history/moment/history-read-models.ts';
import { bodies, claims } from '../../support/examples.ts';
import { on, type Fact } from '../../support/facts.ts';
import { processKeys } from '../../support/process.ts';
import { tokenFor } from '../../support/service.ts';
import { textOfExport } from './exported-text.ts';
import { historyStage } from './stage.ts';

const victims = ['zelda', 'yorick'] as const;
const people = ['mallory', ...victims] as const;
const postings = ['p-north', 'p-east', 'p-south', 'p-far'] as const;
type Person = (typeof people)[number];

/** Of the victims' home, so that three ways are as long as each other and the fourth is longer. */
const offices = {
  'p-north': ['30.1', '-97'],
  'p-east': ['30', '-96.9'],
  'p-south': ['29.9', '-97'],
  'p-far': ['31', '-97'],
} as const;
const homeOf = { mallory: [30, -97], zelda: [30, -97], yorick: [30.5, -97.5] } as const;
const NUMBER = '+15125550123';
const NUMBER_HASH = 'qN7xHashOfTheNumber';

/** A person who has saved all postings; of the ways to them only the last one is measured. */
const lifeOf = (person: Person): readonly Fact[] => {
  const userId = `user-${person}`;
  const by = { by: userId };
  const code = { userId, codeId: `code-${person}` };
  const sent = { channel: 'sms', destination: NUMBER, codeHash: 'hash' } as const;
  const [latitude, longitude] = homeOf[person];
  const home = { latitude, longitude };
  return [
    on(
      professionalDecider,
      person,
    )({ type: 'ProfessionalRecorded', data: { professionalId: person, ...bodies.professional, userId, ...home } }),
    ...postings.map((postingId) =>
      on(savedPostingsDecider, person)({ type: 'PostingSaved', data: { professionalId: person, postingId } }, by),
    ),
    on(
      savedPostingsDecider,
      person,
    )({
      type: 'CommuteMeasured',
      data: {
        professionalId: person,
        postingId: 'p-far',
        from: home,
        to: { latitude: 31, longitude: -97 },
        roadDistance: 70.25,
        eta: 'PT80M',
      },
    }),
    on(phoneCodeRequestDecider, NUMBER_HASH)(
      { type: 'CodeRequested', data: { numberHash: NUMBER_HASH, codeId: code.codeId } },
      by,
    ),
    on(noticeDecider, NUMBER_HASH)({ type: 'NoticeRequested', data: { recipientHash: NUMBER_HASH } }, by),
    on(userDecider, userId)(
      { type: 'CodeIssued', data: { ...code, ...sent, expiresAt: '2026-03-02T09:15:00.000Z' } },
      by,
    ),
    on(userDecider, userId)({ type: 'PhoneNumberChanged', data: { ...code, phoneNumber: NUMBER } }, by),
  ];
};

/** Everyone has the same name, picture, address and number, and Mallory and Zelda live in one house. */
const world: readonly Fact[] = [
  ...postings.flatMap((id) => {
    const [latitude, longitude] = offices[id];
    const [address] = bodies.office.address;
    const data = { officeId: `at-${id}`, ...bodies.office, address: [{ ...address, latitude, longitude }] };
    const posted = { postingId: id, ...bodies.posting, officeId: `at-${id}` };
    return [
      on(officeDecider, `at-${id}`)({ type: 'OfficeRecorded', data }),
      on(postingDecider, id)({ type: 'PostingRecorded', data: posted }),
    ];
  }),
  ...people.flatMap(lifeOf),
];

const REPLAY = `export default {
  init: () => [],
  handlers: Object.fromEntries(
    ['ProfessionalRecorded', 'CommuteMeasured', 'CodeRequested', 'NoticeRequested', 'CodeIssued', 'PhoneNumberChanged'].map(
      (type) => [type, (event, state) => void state.push(event)],
    ),
  ),
  rows: (state) => state,
};
`;
const tables = [
  'events',
  'ProfessionalRecorded',
  'CommuteMeasured',
  ...historyReadModels.map(({ name }) => name.replaceAll('-', '_')),
];
const SQL = tables.map((name) => `SELECT to_json(each)::VARCHAR AS row FROM ${name} AS each`).join(' UNION ALL ');

const masksIn = (texts: readonly string[]): readonly string[] => [
  ...new Set(texts.flatMap((text) => text.match(/masked-[0-9a-f]+/g) ?? [])),
];

describe('Masks, read by an analyst who is also the professional Mallory,', function () {
  this.timeout(120_000);
  const { directory, given, serve, history } = historyStage({ isShared: true });
  /** What each way to the history shows, a piece for each event, row or answer. */
  const shown = new Map<string, readonly string[]>();

  const command = async (...args: readonly string[]): Promise<string> => {
    const { code, stdout, stderr } = await history(...args);
    expect(code, stderr).to.equal(0);
    return stdout;
  };

  before(async () => {
    await given(world);
    await writeFile(join(directory(), 'replay.mjs'), REPLAY);
    shown.set('SQL', (await command('sql', SQL, '--output', 'json')).split('\n'));
    shown.set('a replay', (await command('replay', join(directory(), 'replay.mjs'))).split('\n'));
    for (const format of ['ndjson', 'csv', 'parquet', 'ocel']) {
      const out = join(directory(), format);
      await command('export', '--format', format, '--out', out);
      shown.set(`an export as ${format}`, (await textOfExport(out)).split(/\n|\},\{|\],\["/));
    }
    const { url } = await serve();
    const headers = { 'X-API-Key': processKeys.client, Authorization: `Bearer ${await tokenFor(claims.analyst)}` };
    const asking = async (path: string): Promise<string> => {
      const response = await fetch(`${url}/history/${path}`, { headers });
      expect(response.status, path).to.equal(200);
      return response.text();
    };
    const lines = ['events', 'read-models/saved-postings', 'read-models/professional-profiles'];
    const answers = people.flatMap((person) => [
      `read-models/professional-profiles/${person}`,
      `entities/user/user-${person}`,
      `read-models/saved-postings/${person}`,
      `read-models/saved-postings/${person}/difference?from=0`,
      ...postings.map((id) => `read-models/saved-postings/rows/${person}%2F${id}/explanation`),
    ]);
    const texts: string[] = [];
    for (const path of lines) texts.push(...(await asking(path)).split('\n'));
    for (const path of answers) texts.push(`${path} ${await asking(path)}`);
    shown.set('HTTP', texts);
  });

  it('are the same where one person has a value, by user or by profile', () => {
    const ofType = (type: string) =>
      masksIn((shown.get('HTTP') ?? []).filter((text) => text.includes(`"${type}"`) && text.includes('zelda')));
    const [number = ''] = ofType('PhoneNumberChanged').filter((mask) => ofType('CodeIssued').includes(mask));
    expect(ofType('ProfessionalRecorded')).to.include(number);
  });

  for (const way of [
    'HTTP',
    'SQL',
    'a replay',
    ...['ndjson', 'csv', 'parquet', 'ocel'].map((as) => `an export as ${as}`),
  ]) {
    const piecesOf = (person: Person) => (shown.get(way) ?? []).filter((piece) => piece.includes(person));

    it(`say nothing of others by those of own values: ${way}`, () => {
      const dictionary = masksIn(piecesOf('mallory'));
      expect(dictionary).to.have.length.above(4);
      for (const victim of victims) {
        const masks = masksIn(piecesOf(victim));
        expect(masks).to.have.length.above(4);
        expect(masks.filter((mask) => dictionary.includes(mask))).to.deep.equal([]);
      }
    });

    it(`hide the hash of a number, which is the same for all who have had it: ${way}`, () => {
      expect((shown.get(way) ?? []).filter((piece) => piece.includes(NUMBER_HASH))).to.deep.equal([]);
    });

    it(`do not tell which offices are as far as each other from a home: ${way}`, () => {
      for (const victim of victims) {
        const pieces = piecesOf(victim).filter((piece) => postings.some((id) => piece.includes(id)));
        expect(pieces).to.have.length.above(0);
        expect(masksIn(pieces)).to.deep.equal([]);
        expect(pieces.filter((piece) => /70\.25|PT\d+M|30\.5/.test(piece))).to.deep.equal([]);
      }
    });
  }
});
