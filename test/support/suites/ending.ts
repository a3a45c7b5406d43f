import { writeFileSync } from 'node:fs';

/** Its process ends by an error that comes once its tests are over. */
describe('A suite that leaves something', () => {
  it('fails', () => {
    process.once('exit', () => writeFileSync(process.env['ENDED'] ?? '', ''));
    setTimeout(() => {
      throw new Error('An error of what a test has left');
    }, 200);
    throw new Error('The failure of a test');
  });
});
