import type { Static, TObject, TSchema } from '../../schema/typebox.ts';
import type { AccessPolicy, User } from '../../access/access.ts';
import type { DomainErrorReason } from '../../errors/domain-error.ts';
import type { EventLog } from '../../event-store/port.ts';
import type { EventTypeStatisticsReader } from '../../event-store/type-counts.ts';
import type { Mask } from '../moment/mask.ts';
import type { Moment, MomentLog } from '../moment/moment.ts';
import type { IndexedEventLog } from '../moment/indexed-event-log.ts';
import type { ActParameters } from '../../streams/audit.ts';
import type { Json } from '../../schema/json.ts';
import type { WarehouseQuestion } from '../warehouse/questions.ts';
import type { NDJSON_MEDIA_TYPE, HistoryMediaType } from './headers.ts';

/** What questions about the history are answered from. */
export interface HistoryContext {
  readonly source: IndexedEventLog & {
    readonly log: MomentLog & EventTypeStatisticsReader & Pick<EventLog, 'readGroups'>;
  };
  /** For what is shown; none where personal data was asked for. */
  readonly mask: Mask;
}

/** A question, valid by the schemas of its operation. */
export interface HistoryQuestion<Params extends TObject, Parameters extends TObject> {
  readonly params: Static<Params>;
  readonly parameters: Static<Parameters>;
}

/** What is asked of the warehouse, valid by the schemas of its operation. */
interface WarehouseRequest<
  Params extends TObject,
  Parameters extends TObject,
  Body extends TObject,
> extends HistoryQuestion<Params, Parameters> {
  readonly body: Static<Body>;
  /** Of those that the operation has, the one that the caller wants most. */
  readonly medium: HistoryMediaType | undefined;
}

/** What an operation is known by, over HTTP and to its callers. */
export interface HistoryOperationBase<
  Params extends TObject = TObject,
  Parameters extends TObject = TObject,
  Body extends TObject = TObject,
> {
  /** The operation's name in OpenAPI and metrics. */
  readonly name: string;
  readonly summary: string;
  /** The name after `hiring history`, also for the record of a look at personal data. */
  readonly command: string;
  /** With `:name` for each member of `params`. */
  readonly path: string;
  /** Left out: GET. */
  readonly method?: 'POST';
  readonly access: AccessPolicy<User>;
  readonly params: Params;
  /** Of the query string. */
  readonly parameters: Parameters;
  /** Left out: there is none. */
  readonly body?: Body;
  /** Requests that it counts as; left out: ten. */
  readonly cost?: number;
  /** The reasons why it is refused, beyond those of every operation. */
  readonly refusals?: readonly DomainErrorReason[];
  /** Of an answer that is given piece by piece, the one by default first; left out: one JSON object. */
  readonly media?: readonly HistoryMediaType[];
  /** The object, a line, or a page. */
  readonly answer: TSchema;
  /** @throws DomainError for what the schemas let pass, before anything is recorded or read */
  check?(parameters: Static<Parameters>, isUnmasked: boolean): unknown;
  /** The question for the service's warehouse, if that answers. @throws DomainError for what the schemas let pass */
  ofWarehouse?(request: WarehouseRequest<Params, Parameters, Body>): WarehouseQuestion;
  /** The parameters of the act that is recorded, if one is. @param tables that the question names */
  recorded?(request: WarehouseRequest<Params, Parameters, Body>, tables: readonly string[]): ActParameters;
}

/** An operation that the service's warehouse answers. */
export type WarehouseOperation = HistoryOperationBase & Required<Pick<HistoryOperationBase, 'ofWarehouse'>>;

export const isOfWarehouse = (operation: HistoryOperationBase): operation is WarehouseOperation =>
  operation.ofWarehouse !== undefined;

/** A value as text; at a terminal a long one is cut. */
type FormatValue = (value: Json | undefined) => string;

/** An answer as people read it. */
export interface PrintableAnswer {
  readonly title?: string;
  /** Of an answer that is rows; a value is undefined where there is none. */
  readonly table?: {
    readonly headings: readonly string[];
    readonly rows: readonly (readonly (Json | undefined)[])[];
    /** Whether long values are not cut at a terminal; left out: they are. */
    readonly isWhole?: boolean;
    /** Headings of numbers. */
    readonly rightAligned?: readonly string[];
    /** In the place of a table without rows. */
    readonly none: string;
  };
  readonly lines?: readonly string[];
  /** What is said of the answer, which is not part of it. */
  readonly notes?: readonly string[];
  /** What a program gets; left out: the answer. */
  readonly json?: unknown;
  /** False where the exit code is to be 1; left out: it is well. */
  readonly isWell?: boolean;
  /** Lines about what the answer lacks. */
  readonly leftOut?: readonly string[];
}

/** A question about the history that has one answer, asked at the command line and over HTTP. */
export interface HistoryOperation<
  Params extends TObject = TObject,
  Parameters extends TObject = TObject,
  Answer extends TObject = TObject,
> extends HistoryOperationBase<Params, Parameters> {
  readonly answer: Answer;
  /** @throws DomainError for a refusal */
  ask(question: HistoryQuestion<Params, Parameters>, opened: HistoryContext): Promise<Static<Answer>>;
  /** Of one whose answer is rows: how the command shows it. */
  rows?(answer: Static<Answer>, show: FormatValue): PrintableAnswer;
  /** Of one whose answer is lines: how the command shows it. */
  text?(answer: Static<Answer>, show: FormatValue): PrintableAnswer;
}

/** Lines of an answer, and the moment up to which they are made from events. */
export interface LinesAnswer<Line> {
  readonly upTo: Moment;
  readonly lines: AsyncIterable<Line>;
}

/** A question about the history that is answered line by line. */
export interface HistoryLinesOperation<
  Params extends TObject = TObject,
  Parameters extends TObject = TObject,
  Line extends TSchema = TSchema,
> extends HistoryOperationBase<Params, Parameters> {
  readonly media: readonly [typeof NDJSON_MEDIA_TYPE];
  readonly answer: Line;
  /** @throws DomainError for a refusal; the lines throw one, too, where nothing is found */
  open(
    question: HistoryQuestion<Params, Parameters>,
    opened: HistoryContext,
    signal: AbortSignal,
  ): Promise<LinesAnswer<Static<Line>>>;
}

/** Whether an answer has no end, since each event is sent as it is appended. */
export const asksToFollow = ({ parameters }: HistoryQuestion<TObject, TObject>): boolean =>
  'follow' in parameters && parameters['follow'] === true;

/** Infers the types of an operation from its parts. */
export const defineLinesOperation = <P extends TObject, Q extends TObject, Line extends TSchema>(
  operation: HistoryLinesOperation<P, Q, Line>,
) => operation;

/** Infers the types of an operation from its parts. */
export const defineHistoryOperation = <P extends TObject, Q extends TObject, A extends TObject>(
  operation: HistoryOperation<P, Q, A>,
) => operation;
