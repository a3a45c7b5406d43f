import type { Command } from '../application/command.ts';
import type { Query } from '../application/query.ts';
import type { AdminApiDefinition } from '../builds/admin-operation.ts';
import type { HistoryOperationBase } from '../history/operations/operation.ts';

/** What clients can call; the routes and their description follow from it. */
export interface HttpApiDefinition {
  readonly title: string;
  readonly description: string;
  readonly commands: readonly Command[];
  readonly queries: readonly Query[];
  readonly admin: AdminApiDefinition;
  /** Questions about the history. */
  readonly questions: readonly HistoryOperationBase[];
}
