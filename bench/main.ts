import { rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Command, InvalidArgumentError, Option } from 'commander';
import type { Settings } from './context.ts';
import { groups } from './figures/index.ts';
import { killRunning } from './processes/running.ts';
import { terminalReport } from './report/terminal.ts';
import { resultsJson, writeDocs } from './report/write.ts';
import type { GroupResult } from './results.ts';
import { runGroup } from './run.ts';
import { directoryOfProcess } from './worlds.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

const number =
  (least: number, isWhole = true) =>
  (text: string): number => {
    const value = Number(text);
    if (text.trim() === '' || !(value >= least) || value === Infinity || (isWhole && !Number.isInteger(value)))
      throw new InvalidArgumentError(`It must be a ${isWhole ? 'whole ' : ''}number from ${least} on.`);
    return value;
  };

interface Options {
  readonly only?: readonly string[];
  readonly events?: number;
  readonly rounds?: number;
  readonly minutes?: number;
  readonly quick?: true;
  readonly json?: string;
  readonly docs?: true;
}

/** With less the documentation would promise more than was measured. */
const MIN_ROUNDS_FOR_DOCS = 5;

const settingsOf = ({ events, rounds, minutes, quick }: Options): Settings =>
  quick
    ? { events: events ?? 10_000, rounds: rounds ?? 2, seconds: 0.5, minutes: minutes ?? 0.1 }
    : { events: events ?? 1_000_000, rounds: rounds ?? 5, seconds: 3, minutes: minutes ?? 10 };

const program = new Command('bench')
  .description(
    'Measures every figure beside its baseline, in turns in the same run. Worlds are kept in .bench/worlds, or where ' +
      'BENCH_WORLDS says. It ends with 0 when everything could be measured, whether or not the targets are met.',
  )
  .addOption(
    new Option('--only <group...>', 'these groups of figures; the soak is measured only so').choices(
      groups.map(({ name }) => name),
    ),
  )
  .option('--events <number>', 'of the large world; the small one has a tenth (default: 1000000)', number(10_000))
  .option('--rounds <number>', 'how often each contender is measured (default: 5)', number(1))
  .option('--minutes <number>', 'how long the soak lasts (default: 10)', number(0.1, false))
  .option('--quick', 'a world of 10,000 events, 2 rounds, short loads: only shows that all can be measured')
  .option('--json <file>', 'write every sample')
  .option('--docs', `write docs/benchmarks.md; with ${MIN_ROUNDS_FOR_DOCS} rounds or more, and not with --quick`);

const say = (text: string) => process.stderr.write(`${text}\n`);

const run = async (options: Options): Promise<void> => {
  const settings = settingsOf(options);
  if (options.docs && (options.quick || settings.rounds < MIN_ROUNDS_FOR_DOCS))
    program.error(`error: --docs needs ${MIN_ROUNDS_FOR_DOCS} rounds or more, and no --quick`);
  const cache = resolve(process.env['BENCH_WORLDS'] ?? join(root, '.bench', 'worlds'));
  // On the same disk as the worlds: a directory for temporary files may be in memory, where syncing costs nothing.
  const scratch = await directoryOfProcess(cache, 'scratch');
  const clean = () => {
    killRunning();
    rmSync(scratch, { recursive: true, force: true });
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => {
      clean();
      process.exit(1);
    });

  try {
    const chosen = groups.filter(({ name, isDefault }) => options.only?.includes(name) ?? isDefault);
    const measured: GroupResult[] = [];
    for (const group of chosen) {
      const result = await runGroup(group, settings, { cache, scratch }, say);
      measured.push(result);
      process.stdout.write(terminalReport(group, result));
    }
    const results = { groups: measured };
    if (options.json !== undefined) writeFileSync(options.json, `${resultsJson(results)}\n`);
    if (options.docs) await writeDocs(join(root, 'docs'), groups, results);
  } finally {
    clean();
  }
};

await program.action(run).parseAsync();
