import { Type } from '../../src/schema/typebox.ts';
import { adminAccess, internalAccess } from '../../src/access/access.ts';
import { defineCommand } from '../../src/application/command.ts';
import { officeDecider } from '../../src/domain/office.ts';
import { memoizeLazyJson } from '../../src/application/lazy-json.ts';
import { defineQuery } from '../../src/application/query.ts';
import { defineAdminOperation } from '../../src/builds/admin-operation.ts';
import { object } from '../../src/schema/schema.ts';

/** What must not compile: answers that their schemas do not declare. `tsc` fails where one does. */

const nothing = object({});
const operation = { name: 'name', summary: 'Summary', path: '/path', params: nothing, refusals: [] } as const;

const command = {
  ...operation,
  method: 'PUT',
  access: internalAccess,
  body: nothing,
  prepare: () => ({ id: 'office-1' }),
  decide: () => [],
  outcome: () => null,
  responses: { 200: object({ count: Type.Integer() }), 204: null },
} as const;
export const replies = [
  defineCommand(officeDecider)({ ...command, respond: () => ({ status: 204 }) }),
  defineCommand(officeDecider)({ ...command, respond: () => ({ status: 200, body: { count: 1 } }) }),
  // @ts-expect-error: an undeclared status
  defineCommand(officeDecider)({ ...command, respond: () => ({ status: 201, body: { count: 1 } }) }),
  // @ts-expect-error: a member of another type
  defineCommand(officeDecider)({ ...command, respond: () => ({ status: 200, body: { count: 'one' } }) }),
  // @ts-expect-error: a member of another name
  defineCommand(officeDecider)({ ...command, respond: () => ({ status: 200, body: { counts: 1 } }) }),
  // @ts-expect-error: a body is missing
  defineCommand(officeDecider)({ ...command, respond: () => ({ status: 200 }) }),
  // @ts-expect-error: a body where there is none
  defineCommand(officeDecider)({ ...command, respond: () => ({ status: 204, body: { count: 1 } }) }),
];

const query = {
  ...operation,
  access: internalAccess,
  parameters: nothing,
  reads: [],
  response: object({ data: Type.Array(object({ id: Type.String() })), count: Type.Integer() }),
} as const;
const rowText = memoizeLazyJson(({ id }: { id: string }) => ({ id }));
const otherText = memoizeLazyJson(({ id }: { id: string }) => ({ id: Number(id) }));
export const found = [
  defineQuery({ ...query, find: () => Promise.resolve({ data: [{ id: 'a' }], count: 1 }) }),
  defineQuery({ ...query, find: () => Promise.resolve({ data: [{ id: 'a' }].map(rowText), count: 1 }) }),
  // @ts-expect-error: a member is missing
  defineQuery({ ...query, find: () => Promise.resolve({ data: [] }) }),
  // @ts-expect-error: a row with a member of another type
  defineQuery({ ...query, find: () => Promise.resolve({ data: [{ id: 1 }], count: 1 }) }),
  // @ts-expect-error: the same, encoded
  defineQuery({ ...query, find: () => Promise.resolve({ data: [{ id: 'a' }].map(otherText), count: 1 }) }),
];

const act = { ...operation, method: 'POST', access: adminAccess, body: nothing, status: 202 } as const;
const response = object({ build: Type.String() });
export const acts = [
  defineAdminOperation({ ...act, response, act: () => Promise.resolve({ build: 'lists@1.2' }) }),
  // @ts-expect-error: a member of another name
  defineAdminOperation({ ...act, response, act: () => Promise.resolve({ id: 'lists@1.2' }) }),
];
