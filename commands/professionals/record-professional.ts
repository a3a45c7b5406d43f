import { isDeepStrictEqual } from 'node:util';
import { internalAccess } from '../../src/access/access.ts';
import { putBodySchemaOf, createPutBodyCompleter } from '../../src/schema/body.ts';
import { defineCommand, noContent } from '../../src/application/command.ts';
import { Profile, professionalDecider } from '../../src/domain/professional.ts';
import { userDecider } from '../../src/domain/user.ts';
import { toE164 } from '../../src/domain/phone-number.ts';
import { Identifier, object } from '../../src/schema/schema.ts';

const complete = createPutBodyCompleter(Profile);

export const recordProfessional = defineCommand(professionalDecider)({
  name: 'recordProfessional',
  summary: 'Create or revise a professional',
  method: 'PUT',
  path: '/internal/professionals/:id',
  access: internalAccess,
  params: object({ id: Identifier }),
  body: putBodySchemaOf(Profile, ['userId', 'firstName', 'lastName']),
  async prepare({ params: { id }, body }, { appenderFor }) {
    const facts = complete(body);
    const profile = { ...facts, phone: facts.phone === null ? null : toE164(facts.phone, 'body/phone') };
    const append = appenderFor(id);
    // The user's stream first: after a crash in between, `loadProfessionalsOfUser` ignores the professional, whose
    // profile does not name the user.
    await append(
      userDecider,
      profile.userId,
    )(({ professionals }) =>
      professionals.includes(id)
        ? []
        : [{ type: 'UserNamedByProfessional', data: { userId: profile.userId, professionalId: id } }],
    );
    return { id, profile };
  },
  decide: (state, { id, profile }) =>
    isDeepStrictEqual(state.profile, profile)
      ? []
      : [{ type: 'ProfessionalRecorded', data: { professionalId: id, ...profile } }],
  ...noContent,
  refusals: [],
});
