import type { Position } from '../../event-store/port.ts';
import type { Moment } from '../moment/moment.ts';
import type { PreparationProgress, PreparationRequest, StoresPreparationRequest } from '../warehouse/prepare.ts';
import type { WarehouseQuestion } from '../warehouse/questions.ts';

/** What a question needs of the warehouse, as the process that answers it found out. */
export interface WarehouseNeeds extends Pick<PreparationRequest, 'readModels' | 'atPosition'> {
  readonly tables: readonly string[];
}

/** One question, whose whole answer is in the standard output of the process once it has a result. */
export interface AnswerProtocol {
  readonly input: { readonly directory: string; readonly question: WarehouseQuestion };
  readonly status: ({ readonly kind: 'needs' } & WarehouseNeeds) | { readonly kind: 'opened' };
  /** The file has what is needed up to a position, and is not replaced before it is open. */
  readonly message: Position;
  readonly result: { readonly maskedConditions: readonly string[]; readonly upTo?: Moment };
}

export interface RefreshProtocol {
  readonly input: StoresPreparationRequest;
  readonly status: PreparationProgress;
  readonly result: Position;
}
