import { expect } from 'chai';
import { openApiOf } from '../../src/http/openapi.ts';
import { hiring } from '../../src/hiring/index.ts';
import { apiKeys } from '../support/examples.ts';
import { jwtSecret } from '../support/service.ts';
import { describedOperations } from './description.ts';
import { createPlan } from './plan.ts';
import type { Turn } from './request.ts';

const document: unknown = JSON.parse(JSON.stringify(openApiOf(hiring)));
const turnsOf = (seed: number, count: number): Turn[] => {
  const next = createPlan(seed, document, { ...apiKeys, jwtSecret });
  return Array.from({ length: count }, next);
};

describe("The fuzz suite's plan", () => {
  it('is the same for the same seed, and another for another', () => {
    expect(turnsOf(7, 300)).to.deep.equal(turnsOf(7, 300));
    expect(turnsOf(7, 300)).not.to.deep.equal(turnsOf(8, 300));
  });

  it('calls every operation, mutated and not', () => {
    // Of builds there are few.
    const called = turnsOf(1, 60_000).flatMap((turn) =>
      turn.kind === 'requests' ? turn.requests.map(({ operation }) => operation) : [],
    );
    const described = describedOperations(document).map(({ name }) => name);
    expect(new Set(called)).to.deep.equal(new Set(described.filter((name) => name !== 'followProjections')));
  });
});
