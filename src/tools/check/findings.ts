interface Finding {
  readonly where: string;
  readonly what: string;
}

/** More would not tell an operator more. */
const MAX_KEPT = 200;

/** Collects findings: the first ones, and how many there are. */
export const createFindings = (maxKept = MAX_KEPT) => {
  const findings: Finding[] = [];
  let total = 0;
  return {
    add(where: string, what: string): void {
      total++;
      if (findings.length < maxKept) findings.push({ where, what });
    },
    kept: (): readonly Finding[] => findings,
    total: (): number => total,
  };
};
export type Findings = ReturnType<typeof createFindings>;
