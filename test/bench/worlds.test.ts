import { expect } from 'chai';
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { copyWorld, directoryOfProcess, openWorld, type MakeWorld } from '../../bench/worlds.ts';
import { directoryForEach } from '../support/files.ts';

const makeFile: MakeWorld = (directory, events) => writeFile(join(directory, 'events.db'), `${events} events`);

/** The pid of a process that has ended. */
const pidOfTheDead = (): number => spawnSync(process.execPath, ['--version']).pid;

describe('A world', () => {
  const cache = directoryForEach('hiring-worlds-');

  it('is made once', async () => {
    let times = 0;
    const make: MakeWorld = (...args) => {
      times++;
      return makeFile(...args);
    };
    const directory = await openWorld(cache(), 500, make);
    expect(await openWorld(cache(), 500, make)).to.equal(directory);
    expect(times).to.equal(1);
    expect(await readFile(join(directory, 'events.db'), 'utf8')).to.equal('500 events');
  });

  it('has no name before it is whole', async () => {
    await openWorld(cache(), 500, async (directory, events) => {
      await makeFile(directory, events);
      expect(existsSync(join(cache(), '500'))).to.equal(false);
    });
    expect(readdirSync(cache())).to.deep.equal(['500']);
  });

  it('leaves nothing when making it fails', async () => {
    const failure = await openWorld(cache(), 500, async (directory, events) => {
      await makeFile(directory, events);
      throw new Error('The disk is full');
    }).catch((error: unknown) => error);
    expect(failure).to.be.an('error').with.property('message', 'The disk is full');
    expect(readdirSync(cache())).to.deep.equal([]);
  });

  it('is made anew after the process that made it was killed, of which nothing is left', async () => {
    const half = join(cache(), `unfinished-of-${pidOfTheDead()}`);
    await mkdir(half);
    await writeFile(join(half, 'events.db'), 'half');
    const directory = await openWorld(cache(), 500, makeFile);
    expect(await readFile(join(directory, 'events.db'), 'utf8')).to.equal('500 events');
    expect(readdirSync(cache())).to.deep.equal(['500']);
  });

  it('leaves alone what another process is still making', async () => {
    const other = `unfinished-of-${process.ppid}`;
    await mkdir(join(cache(), other));
    await openWorld(cache(), 500, makeFile);
    expect(readdirSync(cache()).sort()).to.deep.equal(['500', other]);
  });

  it('is copied without what belongs to the process that had it open', async () => {
    const directory = await openWorld(cache(), 500, makeFile);
    for (const name of ['events.db-shm', 'read-models.db.lists', 'read-models.db.lists-shm', 'owner.pid', 'emmett.db'])
      await writeFile(join(directory, name), name);
    const copy = await directoryOfProcess(cache(), 'copy');
    await copyWorld(directory, copy);
    expect(readdirSync(copy).sort()).to.deep.equal(['events.db', 'read-models.db.lists']);
  });
});
