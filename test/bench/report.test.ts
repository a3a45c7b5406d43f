import { expect } from 'chai';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { FigureGroup, Line } from '../../bench/figure.ts';
import { makePage } from '../../bench/report/page.ts';
import { terminalReport } from '../../bench/report/terminal.ts';
import { resultsJson, writeDocs } from '../../bench/report/write.ts';
import { mergeResults, parseResults, type GroupResult } from '../../bench/results.ts';
import { directoryForEach } from '../support/files.ts';

const groupOf = (name: string): FigureGroup => ({
  name,
  title: `The ${name}`,
  about: [`What ${name} is.`],
  measures: [{ name: 'speed', title: 'requests/s', digits: 0 }],
  isDefault: true,
  figures: () => {
    throw new Error('A report measures nothing');
  },
});

const resultOf = (name: string, own: readonly number[], lines: Line[] = []): GroupResult => ({
  name,
  conditions: {
    measuredOn: '2026-03-01',
    events: 10_000,
    rounds: own.length,
    cores: 2,
    memoryGiB: 8,
    platform: 'linux x64',
    node: 'v20.19.0',
  },
  figures: [
    {
      name: 'a list',
      contenders: [
        { name: 'service', samples: own.map((speed) => ({ speed })) },
        { name: 'bare Koa', samples: own.map(() => ({ speed: 10_000 })) },
      ],
      targets: [
        {
          says: 'as a share of bare Koa',
          measure: 'speed',
          of: 'service',
          against: 'bare Koa',
          must: { atLeast: 0.25 },
          aim: { atLeast: 0.5 },
        },
      ],
      lines,
    },
  ],
});

const groups = [groupOf('reads'), groupOf('soak')];
const missed = resultOf('reads', [1_500, 2_000, 1_400]);
const line: Line = {
  name: 'memory',
  unit: 'MB',
  points: [
    [5, 150],
    [10, 151],
  ],
};

describe('The report', () => {
  it('shows medians with their spread, and by how much a target is missed', () => {
    const [group] = groups;
    if (!group) throw new Error('There is no group');
    const text = terminalReport(group, missed);
    expect(text).to.contain('1,500 (1,400–2,000)');
    expect(text).to.contain('0.150 (0.140–0.200)');
    expect(text).to.contain('missed by 40 %');
    expect(text).to.contain('missed by 70 %');
  });

  it('tells on the page first which targets are missed', () => {
    const { markdown } = makePage(groups, { groups: [missed, resultOf('soak', [9_000])] });
    expect(markdown).to.contain('Targets: 2; measured: 2; met: 1; missed: 1.');
    expect(markdown).to.contain('- a list: as a share of bare Koa is 0.150, must be at least 0.25: missed by 40 %.');
  });

  it('shows of a group with many figures how far their medians lie apart', () => {
    const [figure] = missed.figures;
    if (!figure) throw new Error('There is no figure');
    const figures = Array.from({ length: 9 }, (_, index) => ({
      ...figure,
      contenders: [
        { name: 'service', samples: [{ speed: 1_000 * (index + 1) }] },
        { name: 'bare Koa', samples: [{ speed: 10_000 }] },
      ],
    }));
    const { markdown } = makePage(groups, { groups: [{ ...missed, figures }] });
    expect(markdown).to.contain('| 9 figures | service | 5,000 (1,000–9,000) |');
    expect(markdown).to.contain(
      '| as a share of bare Koa | 0.500 (0.100–0.900) | at least 0.25 | missed by 2 of 9 | at least 0.5 | missed by 4 of 9 |',
    );
  });

  it('draws a chart of what was found over time, the same each time', () => {
    const results = { groups: [missed, resultOf('soak', [9_000], [line])] };
    const { markdown, charts } = makePage(groups, results);
    expect([...charts.keys()]).to.deep.equal(['soak-1.svg']);
    for (const [name, svg] of charts) {
      expect(markdown).to.contain(`](benchmarks/${name})`);
      expect(svg).to.match(/^<svg .*<\/svg>\s*$/s);
    }
    expect(makePage(groups, results).charts).to.deep.equal(charts);
  });

  it('keeps what was not measured again, in the order of the groups', () => {
    const older = { groups: [resultOf('soak', [1]), resultOf('reads', [2])] };
    const newer = { groups: [resultOf('reads', [3])] };
    const merged = mergeResults(older, newer, ['reads', 'soak']);
    expect(merged.groups).to.deep.equal([newer.groups[0], older.groups[0]]);
  });

  it('is read back as it was written', () => {
    const results = { groups: [missed, resultOf('soak', [1 / 3], [line])] };
    expect(parseResults(resultsJson(results))).to.deep.equal({
      groups: [missed, resultOf('soak', [0.333333], [line])],
    });
  });

  it('is refused when it is not what was written', () => {
    expect(() => parseResults('{"groups": [{"name": "reads"}]}')).to.throw(/^results\/groups\/0\/conditions/);
  });
});

describe('The documentation of the benchmarks', () => {
  const docs = directoryForEach('hiring-bench-');

  it('is updated group by group', async () => {
    await writeDocs(docs(), groups, { groups: [missed, resultOf('soak', [1_000], [line])] });
    await writeDocs(docs(), groups, { groups: [resultOf('reads', [6_000])] });
    const page = await readFile(join(docs(), 'benchmarks.md'), 'utf8');
    expect(page).to.contain('6,000');
    expect(page).not.to.contain('1,500');
    expect(page).to.contain('## The soak');
    expect((await readdir(join(docs(), 'benchmarks'))).sort()).to.deep.equal(['results.json', 'soak-1.svg']);
  });
});
