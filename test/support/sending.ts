import { expect } from 'chai';
import { actorOf, type Caller, type User } from '../../src/access/access.ts';
import { withoutNulls } from '../../src/schema/body.ts';
import type { Command } from '../../src/application/command.ts';
import type { EventStore } from '../../src/event-store/port.ts';
import {
  createCommandHandler,
  type CommandReply,
  type HandleCommand,
  type CommandEnvelope,
} from '../../src/application/handle-command.ts';
import { requireValid } from '../../src/http/parameters.ts';
import type { Ports } from '../../src/ports/index.ts';
import { createCodeCrypto } from '../../src/ports/code-crypto.ts';
import { createWebhookCrypto } from '../../src/ports/webhook-crypto.ts';
import { createValidator } from '../../src/schema/validation.ts';
import { claims, codes, times } from './examples.ts';

/** A request that reaches the edge. */
export interface Request {
  /** Undefined: the application acts without a user. */
  readonly as?: keyof typeof claims | undefined;
  readonly params?: object;
  readonly body?: unknown;
  readonly mfaToken?: string;
  readonly at?: string;
  /** The ports that differ from the usual ones. */
  readonly ports?: Partial<Ports>;
  readonly idempotency?: CommandEnvelope['idempotency'];
  readonly preconditions?: CommandEnvelope['preconditions'];
}

export const REQUEST_ID = 'request-1';
export const secrets = createCodeCrypto('a secret of the tests, thirty-two bytes or more');

export const webhookSecrets = createWebhookCrypto('a secret of webhooks in the tests, 32 bytes');

/** Ports with a fixed clock: ids are `minted-1`, `minted-2`, ..., and every code is the right one of the examples. */
export const testPorts = ({ at = times.now, ports = {} }: Request = {}): Ports => {
  let minted = 0;
  return {
    clock: () => new Date(at),
    ids: { uuid: () => `minted-${++minted}`, code: () => codes.right },
    codes: () => Promise.resolve(),
    secrets,
    phoneChangeNotice: () => Promise.resolve(),
    mfaPhoneUpdate: true,
    legacyPhoneUpdate: true,
    smsCountries: [],
    webhooks: { secrets: webhookSecrets, isLoopbackAllowed: false },
    ...ports,
  };
};

interface Claims {
  readonly sub: string;
  readonly professional_id?: string;
  readonly office_id?: string;
  readonly roles?: readonly string[];
}
const userOf = ({ sub, professional_id, office_id, roles = [] }: Claims): User => ({
  id: sub,
  professionalId: professional_id,
  officeId: office_id,
  isAdmin: roles.includes('admin'),
  isAnalyst: roles.includes('analyst'),
});
export const callerOf = ({ access: { scope } }: Command, { as }: Request): Caller => ({
  key: { scope, name: scope === 'internal' ? 'back-office' : 'website' },
  user: as === undefined ? undefined : userOf(claims[as]),
});

/** The command envelope that the edge makes of a request; throws its refusals. */
const toEnvelope = (command: Command, request: Request): CommandEnvelope => {
  const caller = callerOf(command, request);
  return {
    principal: command.access.authorize(caller),
    actor: actorOf(caller),
    requestId: REQUEST_ID,
    params: requireValid(createValidator(command.params, 'path'), request.params ?? {}),
    body: requireValid(createValidator(command.body, 'body'), withoutNulls(request.body ?? {})),
    mfaToken: request.mfaToken,
    idempotency: request.idempotency,
    preconditions: request.preconditions,
  };
};

/** Sends a request to a handler, as the edge does. */
export const send = (handle: HandleCommand, command: Command, request: Request): Promise<CommandReply> =>
  // A refusal of the edge rejects as well.
  Promise.resolve().then(() => handle(command, toEnvelope(command, request), testPorts(request)));

/** The same request with an Idempotency-Key; the fingerprint stands for its content. */
export const keyed = (request: Request, key = 'key-1', fingerprint = 'request-a'): Request => ({
  ...request,
  idempotency: { key, fingerprint },
});

export const handlerOn = (store: EventStore, options?: Parameters<typeof createCommandHandler>[2]): HandleCommand =>
  createCommandHandler(store, testPorts(), options).handle;

/** The reply that a request gets that comes again under its key. */
export const replayed = (reply: CommandReply | undefined) => ({ ...reply, isReplayed: true });

/** Expects that one request of several under one key was carried out, and the others got its reply. */
export const expectOneCarriedOut = (replies: readonly CommandReply[]): void => {
  const [first, ...others] = replies.filter(({ isReplayed }) => !isReplayed);
  expect(others).to.deep.equal([]);
  expect(replies.map(replayed)).to.deep.equal(replies.map(() => replayed(first)));
};
