import type { Position } from '../../event-store/port.ts';
import type { Moment } from '../moment/moment.ts';
import type { PreparationNews } from '../warehouse/prepare.ts';
import type { WarehouseQuestion } from '../warehouse/questions.ts';
import type { NamedReadModel } from '../warehouse/statement.ts';
import type { NoAnswer } from './no-answer.ts';

/** What a question needs of the warehouse, as the process that answers it found out. */
export interface WarehouseNeeds {
  readonly tables: readonly string[];
  readonly readModels: readonly NamedReadModel[];
  readonly atPosition: string | undefined;
}

/** What the service tells the process that answers one question. */
export type ToAnswerer =
  | { readonly kind: 'ask'; readonly directory: string; readonly question: WarehouseQuestion }
  /** The file has what is needed, and is not replaced before it is open. */
  | { readonly kind: 'prepared'; readonly position: Position };

export type FromAnswerer =
  | ({ readonly kind: 'needs' } & WarehouseNeeds)
  | { readonly kind: 'opened' }
  /** Its standard output has the whole answer. */
  | {
      readonly kind: 'answered';
      readonly maskedConditions: readonly string[];
      readonly upTo?: Moment;
    }
  | { readonly kind: 'none'; readonly because: NoAnswer };

export type FromRefresher =
  | { readonly kind: 'news'; readonly news: PreparationNews }
  | { readonly kind: 'refreshed'; readonly position: Position }
  | { readonly kind: 'none'; readonly because: NoAnswer };
