import { invalid } from '../../errors/domain-error.ts';
import { isAllVisible } from '../../lib/escape-invisible.ts';
import type { TObject } from '../../schema/typebox.ts';
import type { ActParameters } from '../../streams/audit.ts';
import type { HistoryOperationBase, HistoryQuestion } from './operation.ts';

const LONGEST_REASON = 500;

/** Why personal data is asked for, as it is recorded. @param place where it is given @throws DomainError */
export const parsePersonalDataReason = (text: string, place: string): string => {
  const reason = text.trim();
  if (reason === '' || reason.length > LONGEST_REASON || !isAllVisible(text))
    throw invalid(
      `${place} must say why, in 1 to ${LONGEST_REASON} characters, none of them a control or bidirectional one`,
    );
  return reason;
};

/** A condition without its value, which may be somebody's name. */
const withoutValue = (condition: string): string => /^(data\.[^=]+)=/.exec(condition)?.[1] ?? '?';

/** What is recorded of a question whose answer has personal data: what was asked, and why. */
export const personalDataActOf = <P extends TObject, Q extends TObject>(
  { command }: HistoryOperationBase<P, Q>,
  { params, parameters }: HistoryQuestion<P, Q>,
  reason: string,
): ActParameters => {
  const members: Readonly<Record<string, unknown>> = { ...params, ...parameters };
  const shown = Object.entries(members).flatMap(([name, value]): (readonly [string, ActParameters[string]])[] => {
    if (Array.isArray(value)) {
      const texts = value.map(String);
      return [[name, name === 'where' ? texts.map(withoutValue) : texts]];
    }
    return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? [[name, value]] : [];
  });
  return { command: `history ${command}`, ...Object.fromEntries(shown), reason };
};
