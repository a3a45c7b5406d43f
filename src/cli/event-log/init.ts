import { osActor } from '../../audit/os-actor.ts';
import { using } from '../../lib/using.ts';
import { admitLog, LogRefusedError } from '../../log-identity/admit-log.ts';
import { beginLog } from '../../log-identity/begin.ts';
import { examineLog } from '../../log-identity/examine.ts';
import { unreachableServerMessageOf, openEventStore } from '../../stores.ts';
import { CliError } from '../parts/cli-error.ts';
import { lockDataDirectories } from '../parts/data-directories.ts';
import { print } from '../parts/print.ts';
import { loadTerminalConfig, type Terminal } from '../parts/terminal.ts';

/** `hiring init`: begins the event log where there is none, and prints its identity, which EVENT_LOG_ID may pin. */
export const initEventLog = async (terminal: Terminal): Promise<void> => {
  const { stores, initPolicy } = loadTerminalConfig(terminal);
  const giveBack = lockDataDirectories([stores.eventStore, stores.readModels]);
  try {
    const finding = await examineLog(stores);
    const { first, where } = finding;
    if (first) throw new LogRefusedError(`${where} holds the event log ${first.id} already: nothing was changed`);
    // To pin one is to say that it is there.
    admitLog(finding, initPolicy.kind === 'never' ? initPolicy : { kind: 'now' });
    const startWriter = terminal.threads?.writer;
    const id = await using(openEventStore(stores.eventStore, { startWriter }), (log) => beginLog(log, osActor()));
    print(terminal.stdout, id);
  } catch (error) {
    const silent = unreachableServerMessageOf(error);
    throw silent === undefined ? error : new CliError(`${silent}: nothing was begun`);
  } finally {
    giveBack();
  }
};
