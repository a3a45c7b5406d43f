import { listAt, textAt } from '../http/answer-rules.ts';
import { objectAt, operationsOf } from '../http/openapi-check.ts';

export type SchemaObject = Readonly<Record<string, unknown>>;

/** An operation as a plan needs it. */
export interface DescribedOperation {
  /** The operationId. */
  readonly name: string;
  readonly method: string;
  readonly template: string;
  readonly query: readonly { readonly name: string; readonly isRequired: boolean; readonly schema: SchemaObject }[];
  /** The schema of the body, if it takes one. */
  readonly body: SchemaObject | undefined;
  /** Whether a repetition under the same Idempotency-Key has no effect of its own. */
  readonly takesKey: boolean;
}

/** The operations of an OpenAPI description. */
export const describedOperations = (document: unknown): DescribedOperation[] =>
  operationsOf(document).map(({ method, template, operation }) => ({
    name: textAt(operation, 'operationId'),
    method,
    template,
    query: listAt(operation, 'parameters')
      .map((parameter) => objectAt(parameter))
      .filter((parameter) => parameter['in'] === 'query')
      .map((parameter) => ({
        name: textAt(parameter, 'name'),
        isRequired: parameter['required'] === true,
        schema: objectAt(parameter, 'schema'),
      })),
    body:
      'requestBody' in operation
        ? objectAt(operation, 'requestBody', 'content', 'application/json', 'schema')
        : undefined,
    takesKey: listAt(operation, 'parameters').some((parameter) => objectAt(parameter)['name'] === 'Idempotency-Key'),
  }));
