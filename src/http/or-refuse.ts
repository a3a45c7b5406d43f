import { invalid } from '../errors/domain-error.ts';
import type { Check } from '../schema/validation.ts';

/** The value, checked. @throws DomainError that says what is wrong where */
export const orRefuse = <T>(check: Check<T>, value: unknown): T => {
  const checked = check(value);
  if (!checked.ok) throw invalid(checked.message);
  return checked.value;
};
