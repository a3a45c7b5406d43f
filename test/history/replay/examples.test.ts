import { join } from 'node:path';
import { expect } from 'chai';
import { loadReplay } from '../../../src/history/replay/load.ts';
import { storeWith } from '../../support/facts.ts';
import { root } from '../../support/project.ts';
import { replayed } from './replaying.ts';
import { replayWorld } from './world.ts';

const rowsOf = async (example: string) => {
  const replay = await loadReplay(join(root, 'docs', 'examples', example));
  const { rows, unreadable } = await replayed(await storeWith(replayWorld), replay);
  expect(unreadable).to.equal(0);
  return rows;
};

describe('The examples of a replay', () => {
  it('tell the time from application to hire, by profession', async () => {
    expect(await rowsOf('time-to-hire.ts')).to.deep.equal([
      { profession: 'hygienist', hires: 1, medianDays: 6, longestDays: 6 },
      { profession: 'assistant', hires: 1, medianDays: 11, longestDays: 11 },
    ]);
  });

  it('tell what saved postings become', async () => {
    expect(await rowsOf('saved-postings.ts')).to.deep.equal([
      { became: 'hired', saves: 2, percent: 33 },
      { became: 'applied', saves: 1, percent: 17 },
      { became: 'taken off the list', saves: 1, percent: 17 },
      { became: 'closed', saves: 1, percent: 17 },
      { became: 'still saved', saves: 1, percent: 17 },
    ]);
  });

  it('tell how long offices take to answer', async () => {
    expect(await rowsOf('office-answers.ts')).to.deep.equal([
      { officeId: 'bright', applications: 2, answered: 1, medianHours: 24, waiting: 0, longestWaitHours: null },
      { officeId: 'calm', applications: 4, answered: 3, medianHours: 24, waiting: 1, longestWaitHours: 288 },
    ]);
  });

  it('tell how interviews are moved', async () => {
    expect(await rowsOf('interviews-moved.ts')).to.deep.equal([
      { officeId: 'bright', interviews: 1, moved: 0, moves: 0, medianDays: null, cancelled: 0 },
      { officeId: 'calm', interviews: 2, moved: 1, moves: 2, medianDays: 1, cancelled: 1 },
    ]);
  });

  it('tell how far people travel', async () => {
    expect(await rowsOf('travel-distances.ts')).to.deep.equal([
      { miles: 'up to 10', applications: 1, hires: 0 },
      { miles: '10 to 25', applications: 1, hires: 1 },
      { miles: '25 to 50', applications: 0, hires: 0 },
      { miles: 'over 50', applications: 0, hires: 0 },
      { miles: 'not known', applications: 4, hires: 1 },
    ]);
  });

  it('say which of them need personal data', async () => {
    const names = ['time-to-hire', 'saved-postings', 'office-answers', 'interviews-moved', 'travel-distances'];
    const needs: string[] = [];
    for (const name of names)
      if ((await loadReplay(join(root, 'docs', 'examples', `${name}.ts`))).needsPersonalData) needs.push(name);
    expect(needs).to.deep.equal(['travel-distances']);
  });
});
