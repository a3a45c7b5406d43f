import type { Static, TObject } from '../../schema/typebox.ts';
import { actorOf, type User } from '../../access/access.ts';
import type { Command, CommandContext } from '../../command-handling/command.ts';
import type { CommandEnvelope } from '../../command-handling/handle-command.ts';
import type { Decider } from '../../domain/decider.ts';
import type { EventDefinition } from '../../domain/events.ts';
import type { Ports } from '../../ports/index.ts';
import type { Kind } from './world.ts';

/** Tells whether the log holds what a planned command brings about, or more. */
export type IsDone = (context: CommandContext) => Promise<boolean>;

/** Tells it by the state of a stream. */
export const whenState =
  <State, D extends readonly EventDefinition[]>(
    decider: Decider<State, D>,
    id: string,
    test: (state: State) => boolean,
  ): IsDone =>
  async ({ load }) =>
    test((await load(decider, id)).state);

/** A command to carry out, as `HandleCommand` takes it. */
export interface PlannedCommand {
  readonly command: Command;
  readonly envelope: CommandEnvelope;
  /** With its time in the history, and its ids. */
  readonly ports: Ports;
  /** Left out where carrying the command out again changes nothing by itself. */
  readonly isDone?: IsDone | undefined;
}

/** What happens to one thing of the world on one day. */
export interface Activity {
  readonly day: number;
  /** What its ids are drawn for; otherwise the thing's own kind and the day. */
  readonly kind?: Kind | undefined;
  readonly occasion?: number;
  readonly plan: (ports: Ports) => PlannedCommand;
}

interface Request<Params extends TObject, Body extends TObject> {
  /** Undefined: the seed acts as an application of its own. */
  readonly user?: User;
  readonly params: Static<Params>;
  readonly body: Static<Body>;
  readonly isDone?: IsDone | undefined;
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
  ports: Ports,
  command: Command<Principal, Params, Body, State, D, Input, Result>,
  { user, params, body, isDone }: Request<Params, Body>,
): PlannedCommand => {
  const caller = { key: { name: 'seed', scope: command.access.scope }, user };
  const principal = command.access.authorize(caller);
  const envelope = { principal, actor: actorOf(caller), requestId: ports.ids.uuid(), params, body };
  return { command, envelope, ports, isDone };
};
