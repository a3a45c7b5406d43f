import { expect } from 'chai';
import { eventually } from './eventually.ts';
import { openMemoryCatalogue } from './memory-catalogue.ts';
import { closings, newStage, type Stage } from './projector-stage.ts';
import { startSupervised } from './supervised.ts';

describe('The supervisor of builds', () => {
  let stage: Stage;
  beforeEach(() => {
    stage = newStage();
  });
  afterEach(() => stage.end());

  it('does not take a build that has only just begun for one that has reached the head of the log', async () => {
    // Given a projection that is served
    const catalogue = openMemoryCatalogue();
    const { eventStore, readModels } = stage;
    const old = closings('closed').projection;
    await stage.close('a', 'b');
    const before = await startSupervised({ catalogue, eventStore, readModels, projections: [old] });
    const entry = async () => (await catalogue.all()).get('closed');
    await eventually('it is complete', async () => (await entry())?.builds[0]?.step === 'ready');
    await before.stop();

    // When code of a newer version starts, whose build takes its time
    const gate = stage.gate();
    const newer = { ...closings('closed', () => gate.opened).projection, version: 2 };
    let looks = 0;
    const counting = { ...catalogue, all: () => (looks++, catalogue.all()) };
    const after = await startSupervised({
      catalogue: counting,
      eventStore,
      readModels,
      projections: [newer],
    });
    await eventually('it has looked several times', () => looks > 5);

    // Then the old one is served until the build is there
    expect((await entry())?.live).to.equal('closed@1.1');
    gate.open();
    await eventually('the new one is served', async () => (await entry())?.live === 'closed@2.2');
    await after.stop();
  });
});
