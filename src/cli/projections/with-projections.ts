import { projections } from '../../../projections/index.ts';
import { CliError } from '../parts/cli-error.ts';
import type { FromOption } from '../parts/from-option.ts';
import type { Terminal } from '../parts/terminal.ts';
import type { ProjectionsPort } from './port.ts';
import { createServiceProjections } from './service-projections.ts';
import { withStoresProjections } from './stores-projections.ts';

export interface ProjectionsCommandOptions {
  /** A service; left out: the stores. */
  readonly from?: FromOption | undefined;
  /** Is recorded with what is done; left out: none is given. */
  readonly reason?: string | undefined;
}

/** Uses the projections of a service, or of the stores. @throws CliError for what is refused */
export const withProjections = <T>(
  terminal: Terminal,
  { from, reason }: ProjectionsCommandOptions,
  use: (port: ProjectionsPort) => Promise<T>,
): Promise<T> =>
  from?.service === undefined
    ? withStoresProjections(terminal, reason, use)
    : use(createServiceProjections(terminal, from.service, reason));

/** The given names, or all. @throws CliError for none, and for an unknown one */
export const chosenProjections = (names: readonly string[], isAll: boolean | undefined): readonly string[] => {
  const known = projections.map(({ name }) => name);
  if (isAll === true) return known;
  const allowed = `allowed: ${known.join(', ')}`;
  if (names.length === 0) throw new CliError(`Name a projection, or say --all; ${allowed}`);
  // Checked before any build is begun.
  const unknown = names.find((name) => !known.includes(name));
  if (unknown !== undefined) throw new CliError(`There is no projection ${unknown}; ${allowed}`);
  return [...new Set(names)];
};
