import type { Static, TObject } from '../../schema/typebox.ts';
import { actorOf, type User } from '../../access/access.ts';
import type { Command, CommandContext } from '../../command-handling/command.ts';
import type { Decider } from '../../domain/decider.ts';
import type { EventDefinition } from '../../domain/events.ts';
import type { CommandEnvelope } from '../../command-handling/handle-command.ts';
import type { Ids } from '../../ports/ids.ts';
import type { Kind, World } from './layout.ts';

/** A command to carry out, and its time in the history. */
export interface PlannedCommand {
  readonly command: Command;
  readonly envelope: CommandEnvelope;
  /** RFC 3339: what the clock of the command says. */
  readonly at: string;
  /** What the command mints. */
  readonly ids: Ids;
  /** Left out where carrying the command out again changes nothing by itself. */
  readonly done?: Done | undefined;
}

/** Tells whether a stream holds what a planned command brings about, or more. */
export interface Done {
  /** The stream that the command decides on. */
  readonly id: string;
  isDone(context: CommandContext): Promise<boolean>;
}

/** Tells it by the state of a stream. */
export const whenState = <State, D extends readonly EventDefinition[]>(
  decider: Decider<State, D>,
  id: string,
  test: (state: State) => boolean,
): Done => ({ id, isDone: async ({ load }) => test((await load(decider, id)).state) });

interface Details<Params extends TObject, Body extends TObject> {
  readonly at: number;
  /** Names the planned command within the world. */
  readonly key: readonly [kind: Kind, index: number, occasion: number];
  /** Undefined: the seed acts as an application of its own. */
  readonly user?: User;
  readonly params: Static<Params>;
  readonly body: Static<Body>;
  readonly done?: PlannedCommand['done'];
}

/** Makes the command that the edge would make of a request, with the same check of access. */
export const planCommand = <
  Principal,
  Params extends TObject,
  Body extends TObject,
  State,
  D extends readonly EventDefinition[],
  Input extends { readonly id: string },
  Result,
>(
  { mint }: World,
  command: Command<Principal, Params, Body, State, D, Input, Result>,
  { at, key, user, params, body, done }: Details<Params, Body>,
): PlannedCommand => {
  const caller = { key: { name: 'seed', scope: command.access.scope }, user };
  const ids = mint(at, ...key);
  return {
    command,
    envelope: {
      principal: command.access.authorize(caller),
      actor: actorOf(caller),
      requestId: ids.uuid(),
      params,
      body,
    },
    at: new Date(at).toISOString(),
    ids,
    done,
  };
};
