import { expect } from 'chai';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { issuePhoneCode } from '../../commands/users/issue-phone-code.ts';
import { startMfaFlow } from '../../commands/users/start-mfa-flow.ts';
import { updatePhoneNumber } from '../../commands/users/update-phone-number.ts';
import { verifyPhoneCode } from '../../commands/users/verify-phone-code.ts';
import { accepted, issued, userKnown } from '../commands/users/code-histories.ts';
import { codes, phoneNumbers } from '../support/examples.ts';
import { storeWith } from '../support/facts.ts';
import { refusalOf } from '../support/refusal-of.ts';
import { openStore, type ReopenedStore } from '../support/reopened-store.ts';
import { keyed, replayed, secrets, send, type Request } from '../support/sending.ts';

const askForCode: Request = { as: 'professional', body: { phoneNumber: phoneNumbers.wanted } };
const failing = { codes: () => Promise.reject(new Error('The test lets deliveries fail')) };

describe('an Idempotency-Key', () => {
  let here: ReopenedStore;
  beforeEach(async () => {
    here = await openStore();
  });
  afterEach(() => here.remove());

  describe('of a one-time code', () => {
    const verify: Request = { as: 'professional', params: { codeId: 'code-1' }, body: { code: codes.right } };

    it('can try the delivery of a code again', async () => {
      const failed = keyed({ ...askForCode, ports: failing });
      expect(await refusalOf(send(here.handle, issuePhoneCode, failed))).to.include({ reason: 'unavailable' });
      const again = keyed({ ...askForCode, ports: { ids: { uuid: () => 'code-2', code: () => codes.right } } });
      expect((await send(here.handle, issuePhoneCode, again)).status).to.equal(202);
      expect(await here.types()).to.deep.equal([
        'CodeRequested',
        'CodeIssued',
        'CodeDeliveryFailed',
        'CodeRequested',
        'CodeIssued',
        'CodeDelivered',
      ]);
    });

    it('counts every wrong code that comes under it', async () => {
      await storeWith([issued('code-1')], here.store);
      const wrong = keyed({ as: 'professional', params: { codeId: 'code-1' }, body: { code: codes.wrong } });
      const reasons: unknown[] = [];
      for (let attempt = 1; attempt <= 6; attempt++)
        reasons.push((await refusalOf(send(here.handle, verifyPhoneCode, wrong))).reason);
      expect(reasons).to.deep.equal([...Array<string>(5).fill('wrong-code'), 'not-verified']);
    });

    it('sends a code once', async () => {
      let sent = 0;
      const counting = {
        codes: () => {
          sent++;
          return Promise.resolve();
        },
      };
      const first = await send(here.handle, issuePhoneCode, keyed({ ...askForCode, ports: counting }));
      expect(await send(here.handle, issuePhoneCode, keyed({ ...askForCode, ports: counting }))).to.deep.equal(
        replayed(first),
      );
      expect(sent).to.equal(1);
    });

    it('gives the same token again', async () => {
      await storeWith([issued('code-1')], here.store);
      const first = await send(here.handle, verifyPhoneCode, keyed(verify));
      expect(first.body).to.deep.include({ requestToken: secrets.tokenOf('code-1') });
      await here.reopen();
      expect(await send(here.handle, verifyPhoneCode, keyed(verify))).to.deep.equal(replayed(first));
    });

    it('changes the number once, and replays the success though the token is used up', async () => {
      await storeWith([issued('code-1'), accepted('code-1', '2026-03-02T09:15:00.000Z')], here.store);
      const update = keyed({ as: 'professional', body: { requestToken: secrets.tokenOf('code-1') } });
      const first = await send(here.handle, updatePhoneNumber, update);
      expect(await send(here.handle, updatePhoneNumber, update)).to.deep.equal(replayed(first));
      expect((await here.types()).filter((type) => type === 'PhoneNumberChanged')).to.have.length(1);
    });
  });

  describe('and secrets', () => {
    const filesHold = async (text: string): Promise<boolean> => {
      const names = await readdir(here.directory);
      const contents = await Promise.all(names.map((name) => readFile(join(here.directory, name))));
      return contents.some((content) => content.includes(text));
    };
    const codeIds = { ids: { uuid: () => 'code-of-the-test', code: () => codes.right } };
    const token = secrets.tokenOf('code-of-the-test');
    const entered = (code: string) => ({
      as: 'professional' as const,
      params: { codeId: 'code-of-the-test' },
      body: { code },
    });

    beforeEach(async () => {
      await storeWith(userKnown, here.store);
      await send(here.handle, issuePhoneCode, keyed({ ...askForCode, ports: codeIds }, 'key-1'));
      await refusalOf(send(here.handle, verifyPhoneCode, keyed(entered(codes.wrong), 'key-2')));
      await send(here.handle, verifyPhoneCode, keyed(entered(codes.right), 'key-3'));
      await send(here.handle, updatePhoneNumber, keyed({ as: 'professional', body: { requestToken: token } }, 'key-4'));
      await send(
        here.handle,
        startMfaFlow,
        keyed({ as: 'professional', body: { flow: 'phone_update_flow' } }, 'key-5'),
      );
    });

    for (const [when, settle] of [
      ['while the store is open', () => Promise.resolve()],
      ['once it was closed', () => here.reopen()],
    ] as const)
      it(`leave no code and no token in any file ${when}`, async () => {
        await settle();
        const [id = '', signature = ''] = token.split('.');
        const wanted = { id, right: codes.right, wrong: codes.wrong, token, signature };
        const found = Object.fromEntries(
          await Promise.all(Object.entries(wanted).map(async ([name, text]) => [name, await filesHold(text)] as const)),
        );
        // The id, which is stored, shows that the search works.
        expect(found).to.deep.equal({ id: true, right: false, wrong: false, token: false, signature: false });
      });
  });
});
