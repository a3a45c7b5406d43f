import { Command, InvalidArgumentError } from 'commander';
import { fuzz } from './fuzz.ts';

const whole =
  (least: number) =>
  (text: string): number => {
    if (!/^\d{1,9}$/.test(text) || Number(text) < least)
      throw new InvalidArgumentError(`It must be a whole number from ${least} on.`);
    return Number(text);
  };
const inMB = (bytes: number): string => `${Math.round(bytes / 2 ** 20)} MB`;
const say = (text: string) => process.stdout.write(`${text}\n`);

const program = new Command('fuzz')
  .description(
    'Sends valid, near-valid and hostile requests to a service of its own, on files or on the servers that ' +
      'TEST_EVENTSTORE_URL and TEST_MONGODB_URL name, and checks every answer and event. Ends with 1 when something ' +
      'is wrong. The same seed sends the same requests again.',
  )
  .option('--requests <number>', 'how many', whole(1), 20_000)
  .option('--seed <number>', 'of what is drawn (default: any)', whole(0), Math.floor(Math.random() * 1e9));

const { requests, seed } = program.parse().opts<{ requests: number; seed: number }>();
say(`seed ${seed}`);
const { outcomes, succeeded, events, faults } = await fuzz({
  requests,
  seed,
  onProgress: (sent, { heapUsed, rss, maxMs, p99Ms }) =>
    say(
      `${sent} requests: heap ${inMB(heapUsed)}, resident ${inMB(rss)}, ` +
        `event loop late by ${p99Ms.toFixed()} ms (99 %), ${maxMs.toFixed()} ms (most)`,
    ),
});
say(
  [...outcomes]
    .sort()
    .map(([outcome, times]) => `${outcome}: ${times}`)
    .join(', '),
);
say(`${events} events; succeeded: ${[...succeeded].sort().join(', ')}`);
for (const fault of faults) say(`FAULT ${fault}`);
process.exitCode = faults.length === 0 ? 0 : 1;
