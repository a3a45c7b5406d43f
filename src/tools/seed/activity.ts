import { actorOf, type User } from '../../access/access.ts';
import type { Command } from '../../application/command.ts';
import type { CommandEnvelope } from '../../application/handle-command.ts';
import type { Ports } from '../../ports/index.ts';
import type { Static } from '../../schema/typebox.ts';

/** A command to carry out, as `HandleCommand` takes it. */
export interface PlannedCommand {
  readonly command: Command;
  readonly envelope: CommandEnvelope;
  /** With its time in the history, and its ids. */
  readonly ports: Ports;
}

/** What happens to one thing of the world on one day. Its command is made when that day comes. */
export interface Activity {
  readonly day: number;
  readonly plan: (ports: Ports) => PlannedCommand;
}

interface Request<C extends Command> {
  /** Left out: the seed acts as an application of its own. */
  readonly user?: User;
  readonly params: Static<C['params']>;
  readonly body: Static<C['body']>;
}

/** Makes of a request the command that the edge would make, with the same check of access. */
export const createActivity = <C extends Command>(day: number, command: C, request: () => Request<C>): Activity => ({
  day,
  plan(ports) {
    const { user, params, body } = request();
    const caller = { key: { name: 'seed', scope: command.access.scope }, user };
    const principal = command.access.authorize(caller);
    const envelope = { principal, actor: actorOf(caller), requestId: ports.ids.uuid(), params, body };
    return { command, envelope, ports };
  },
});
