import { expect } from 'chai';
import type { AuditedAct } from '../../src/audit/audited.ts';
import { createProjectionOperations } from '../../src/builds/operations.ts';
import { eventually } from '../support/eventually.ts';
import { openMemoryBuildRegistry } from '../support/memory-build-registry.ts';
import { nothingParked } from '../support/parked.ts';
import { closings } from '../support/projector-stage.ts';
import { asked, now, stageForEach, startReconciler } from '../support/running-reconciler.ts';

describe('The reconciler of builds records', () => {
  const current = stageForEach();

  it('each switch before it makes it, and makes none that cannot be recorded', async () => {
    // Given an active build, and an audit that fails
    const registry = openMemoryBuildRegistry();
    const { eventStore, readModels } = current.stage;
    const { projection } = closings('closed');
    const recorded: AuditedAct[] = [];
    let [isFailing, refused] = [true, 0];
    await current.stage.close('a');
    const running = await startReconciler({
      registry,
      eventStore,
      readModels,
      projections: [projection],
      audited: (act, perform) => {
        if (isFailing) return Promise.reject(new Error(`not recorded ${++refused}`));
        recorded.push(act);
        return perform('');
      },
    });
    current.stops.push(running.stop);
    const record = async () => (await registry.all()).get('closed');
    await eventually('it is served', async () => (await record())?.builds[0]?.step === 'ready');

    // When a rebuild has come to its end
    await createProjectionOperations(registry, [projection], nothingParked, now).rebuild(['closed'], asked);
    await eventually('the switch was refused', () => refused > 0);

    // Then the build before is served until the switch is recorded
    expect((await record())?.active).to.equal('closed@1.1');
    isFailing = false;
    await eventually('it is served', async () => (await record())?.active === 'closed@1.2');
    expect(recorded).to.deep.equal([
      { operation: 'switch', parameters: { projections: ['closed'], build: 'closed@1.2', replaces: 'closed@1.1' } },
    ]);
  });
});
