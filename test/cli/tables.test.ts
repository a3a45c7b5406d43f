import { expect } from 'chai';
import { findingsLines } from '../../src/cli/doctor/doctor.ts';
import { answerTableLines } from '../../src/cli/history/answer-output.ts';
import type { Screen } from '../../src/cli/parts/table.ts';
import { getEventTypes } from '../../src/history/operations/event-types.ts';
import { buildsTable } from '../../src/cli/projections/list.ts';

const file: Screen = {};
const terminal: Screen = { isTTY: true, columns: 100 };
const NOW = '2026-03-01T08:00:00.000Z';
const POSITION = '00000000000000822667/00000000000000822667';

/** As it is printed. */
const textOf = (lines: readonly string[]) => lines.map((line) => `${line}\n`).join('');

const types = (type: string, screen: Screen = {}) => {
  const place = { position: POSITION, recordedAt: NOW };
  const count = { type, version: 2, events: 1_234, first: place, last: place };
  const types = [{ ...count, reading: 'newer' as const, codeVersion: 1 }];
  const answer = { types, code: '1.0.0', at: null, position: POSITION, recordedAt: NOW };
  return textOf(answerTableLines(getEventTypes.rows?.(answer, String) ?? {}, screen));
};

const builds = (holder: string | null, screen: Screen = {}) =>
  textOf(
    buildsTable(
      ['posting-candidates', 'specialties'].map((projection) => ({
        projection,
        version: 2,
        build: projection === 'specialties' ? null : `${projection}@2.1`,
        state: 'live',
        position: POSITION,
        lagEvents: 12,
        holder,
        since: holder && NOW,
        pausedSince: null,
        pausedBy: null,
        step: 'ready' as const,
        progress: null,
        stoppedBy: null,
        quarantined: [],
      })),
      screen,
    ),
  );

const findings = (text: string, screen: Screen = {}) =>
  textOf(
    findingsLines(
      [
        { subject: 'Node.js', isWell: true, text: 'v20.19.0' },
        { subject: 'event log', isWell: false, text },
      ],
      screen,
    ),
  );

const HOLDER = 'host-1:41:01a2004d-2084-70f4-a96e-fb925bd3fcaf';
const LONG = 'x'.repeat(150);
const lengthsOf = (text: string) => text.split('\n').map(({ length }) => length);

describe('A table of the command line', () => {
  for (const [name, tableOn] of [
    ['hiring history types', (screen: Screen) => types(LONG, screen)],
    ['hiring projections list', (screen: Screen) => builds(LONG, screen)],
    ['hiring doctor', (screen: Screen) => findings(`${LONG} and ${'so on, '.repeat(20)}`, screen)],
  ] as const) {
    for (const columns of [40, 80, 100, 200])
      it(`has no line that is longer than a terminal's ${columns} columns: ${name}`, () => {
        expect(Math.max(...lengthsOf(tableOn({ isTTY: true, columns })))).to.be.at.most(columns);
      });

    it(`has all of a long value at a terminal: ${name}`, () => {
      const shown = tableOn(terminal);
      expect(
        shown
          .match(/x+/g)
          ?.filter((part) => part.length > 1)
          .join(''),
      ).to.include(LONG);
    });

    it(`takes 100 columns where a terminal does not tell them: ${name}`, () => {
      expect(tableOn({ isTTY: true, columns: 0 })).to.equal(tableOn(terminal));
    });

    it(`keeps each row in a line where it is not printed at a terminal: ${name}`, () => {
      expect(tableOn({ columns: 40 })).to.equal(tableOn(file));
      expect(Math.max(...lengthsOf(tableOn(file)))).to.be.above(150);
    });
  }

  it('has its columns where it is not printed at a terminal', () => {
    expect(types('PostingClosed')).to.equal(
      [
        'type           version  events  first position                             recorded at               last position                              recorded at',
        `PostingClosed        2    1234  ${POSITION}  ${NOW}  ${POSITION}  ${NOW}  newer than this code, which reads up to v1`,
        '',
      ].join('\n'),
    );
    expect(builds(HOLDER)).to.equal(
      [
        'build                   state      position                                   lag  parked  kept by, since',
        `posting-candidates@2.1  live       ${POSITION}   12       0  ${HOLDER}, ${NOW}`,
        `specialties@2           not built  ${POSITION}   12       0  ${HOLDER}, ${NOW}`,
        '',
      ].join('\n'),
    );
    expect(findings('events.db is no file')).to.equal(
      'ok   Node.js    v20.19.0\nBAD  event log  events.db is no file\n',
    );
  });

  it('has its columns at a terminal that is wide enough', () => {
    expect(builds(null, terminal)).to.equal(builds(null));
    expect(types('PostingClosed', { isTTY: true, columns: 240 })).to.equal(types('PostingClosed'));
  });

  it('is a block for each row at a narrower one', () => {
    expect(builds(HOLDER, terminal)).to.equal(
      [
        'build           posting-candidates@2.1',
        'state           live',
        `position        ${POSITION}`,
        'lag             12',
        'parked          0',
        `kept by, since  ${HOLDER}, ${NOW}`,
        '',
        'build           specialties@2',
        'state           not built',
        `position        ${POSITION}`,
        'lag             12',
        'parked          0',
        `kept by, since  ${HOLDER}, ${NOW}`,
        '',
      ].join('\n'),
    );
    expect(types('PostingClosed', terminal)).to.equal(
      [
        'type            PostingClosed',
        'version         2',
        'events          1234',
        `first position  ${POSITION}`,
        `recorded at     ${NOW}`,
        `last position   ${POSITION}`,
        `recorded at     ${NOW}`,
        '                newer than this code, which reads up to v1',
        '',
      ].join('\n'),
    );
  });

  it('goes on below at a terminal that is too narrow for a value', () => {
    expect(findings('events.db is no file', { isTTY: true, columns: 28 })).to.equal(
      'ok   Node.js    v20.19.0\nBAD  event log  events.db is\n                no file\n',
    );
  });
});
