import type { RecordedAct } from './acts.ts';

/** How an act ended, as people read it. */
export const outcomeText = ({ phase }: Pick<RecordedAct, 'phase'>): string =>
  phase === 'requested' ? 'no end is recorded' : phase;

/** What an act was asked with: `name=value` for each parameter. */
export const parametersText = ({ parameters }: Pick<RecordedAct, 'parameters'>): string =>
  Object.entries(parameters)
    .map(([name, value]) => `${name}=${Array.isArray(value) ? value.join(',') : String(value)}`)
    .join(' ');
