import { expect } from 'chai';
import { SERVICE_FLAGS } from '../../bench/processes/service.ts';
import { readFile } from '../support/project.ts';

describe('The flags of Node', () => {
  const [, ofStart] = /"start": ".*?node (--.*?) ?dist/.exec(readFile('package.json')) ?? [];

  it('that `npm start` gives are those of the service that is measured', () => {
    expect(SERVICE_FLAGS.join(' ')).to.equal(ofStart);
  });
});
