import { expect } from 'chai';
import { specialties } from '../../projections/specialties.ts';
import { createBuildPartStore } from '../../src/projector/store-parts.ts';
import { EMPTY_CHECKPOINT } from '../../src/projector/applier.ts';
import { LeaseLostError } from '../../src/read-models/port.ts';

const upTo = { position: '5', id: 'e5' };
const poison = { stream: 's', revision: 0, position: '1', event: 'e1', type: 'Tried', error: new Error('It throws') };

describe('What a build stores', () => {
  it('is nothing once the projection is written by another beginning of it, also where that came while it waited', async () => {
    // Given a part with a poison event, for which the event log is read
    const stored: string[] = [];
    let isCurrent = true;
    const parts = createBuildPartStore(specialties, EMPTY_CHECKPOINT, upTo, {
      eventStore: {
        readStream() {
          isCurrent = false;
          return Promise.resolve([]);
        },
      },
      readModels: {
        insert: () => Promise.resolve(void stored.push('insert')),
        commit: () => Promise.resolve(void stored.push('commit')),
      },
      parking: { isStrict: () => false, onParked: () => undefined, now: () => '2026-01-01T00:00:00Z' },
      isCurrent: () => isCurrent,
    });

    // When the lease is lost meanwhile
    const part = { projection: specialties.name, documents: [], events: 1, applied: 1, of: 1 };
    const resumeAt = { group: 'a', shared: [] };
    const failed = await parts.store({ ...part, poisons: [poison], resumeAt }).catch((error: unknown) => error);

    // Then
    expect(failed).to.be.instanceOf(LeaseLostError);
    expect(stored).to.deep.equal([]);
  });
});
