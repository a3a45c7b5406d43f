import type { Logger } from 'pino';
import { createCommandHandler, type CommandHandler, type HandleCommand } from '../application/handle-command.ts';
import { DomainError } from '../errors/domain-error.ts';
import type { EventStore } from '../event-store/port.ts';
import type { Metrics } from '../monitoring/metrics.ts';
import { withPhoneChangeNoticeReporting } from '../monitoring/phone-notice-reporting.ts';
import type { OneTimeCodeSender } from '../ports/message-sender.ts';
import type { Ports } from '../ports/index.ts';
import { inSpan } from '../telemetry/tracing.ts';
import type { CloseStack } from './close-stack.ts';

interface CommandsOptions {
  readonly eventStore: EventStore;
  readonly ports: Ports;
  readonly metrics: Metrics;
  readonly logger: Logger;
}

const countingCommands =
  (handle: HandleCommand, { commands: counter }: Metrics): HandleCommand =>
  async (command, envelope, ports) => {
    try {
      const reply = await handle(command, envelope, ports);
      counter.inc({ command: command.name, outcome: 'done' });
      return reply;
    } catch (error) {
      counter.inc({ command: command.name, outcome: error instanceof DomainError ? 'refused' : 'failed' });
      throw error;
    }
  };

/** Opens the handler of commands. A stop waits for those under way, also where their clients have gone. */
export const openCommandHandler = (
  { eventStore, ports, metrics, logger }: CommandsOptions,
  closings: CloseStack,
): CommandHandler => {
  const running = new Set<Promise<unknown>>();
  const track = (effect: Promise<unknown>): void => {
    running.add(effect);
    const forget = () => running.delete(effect);
    effect.then(forget, forget);
  };
  const codes: OneTimeCodeSender = (to, code) =>
    inSpan('deliver code', { attributes: { 'hiring.channel': to.channel } }, () => ports.codes(to, code));
  const phoneChangeNotice = withPhoneChangeNoticeReporting(ports.phoneChangeNotice, metrics, logger);
  const handler = createCommandHandler(eventStore, { ...ports, codes, phoneChangeNotice }, { onBackground: track });
  const handle = countingCommands(handler.handle, metrics);
  closings.push({
    what: 'commands under way',
    async close() {
      while (running.size > 0) await Promise.allSettled(running);
    },
  });
  return {
    ...handler,
    handle: (...args) => {
      const reply = handle(...args);
      track(reply);
      return reply;
    },
  };
};
