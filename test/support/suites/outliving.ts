import { existsSync } from 'node:fs';
import { eventually } from '../eventually.ts';

describe('A suite in another process', () => {
  it('ends later', async () => {
    await eventually('the other process has ended', () => existsSync(process.env['ENDED'] ?? ''));
  });
});
