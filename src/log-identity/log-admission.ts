import { toLogIdentityReader } from '../event-store/identity.ts';
import type { EventStore } from '../event-store/port.ts';
import { reasonInFull } from '../lib/reason-in-full.ts';
import type { StoreSettings } from '../stores.ts';
import { admitLog, type LogInitPolicy, type LogRefusedError } from './admit-log.ts';
import { beginLog } from './begin.ts';
import { examineLog } from './examine.ts';
import { guardLog } from './guard.ts';
import { registerLogLoss } from './register-log-loss.ts';
import { registerLogIdentity } from './seen-by-builds.ts';

interface LogAdmissionOptions {
  readonly stores: StoreSettings;
  readonly initPolicy: LogInitPolicy;
  /** Who begins an event log. */
  readonly actor: string;
  readonly onWarning: (line: string) => void;
  /** Called for an event log on a server, which may answer only after the start. */
  readonly onRefused: (error: LogRefusedError) => void;
}

/** At a start: refuses an event log that the service may not run on, and begins one where that is configured. */
export const createLogAdmission = ({ stores, initPolicy, actor, onWarning, onRefused }: LogAdmissionOptions) => {
  let lack: string | undefined;
  /** Resolves to whether the start begins an event log. @throws LogRefusedError */
  const admit = async (opened?: EventStore): Promise<boolean> => {
    const finding = await examineLog(stores, opened);
    const admission = admitLog(finding, initPolicy);
    for (const line of admission.warnings) onWarning(line);
    lack = admission.lack;
    await registerLogLoss(finding).catch((error: unknown) =>
      onWarning(`What the event log lacks could not be noted: ${reasonInFull(error)}`),
    );
    return admission.begins;
  };
  let begins = false;

  return {
    /** What the event log lacks of what builds have seen, in words for any client; undefined where it lacks nothing. */
    lack: () => lack,
    /** To be called before the event log is opened, which makes its file. @throws LogRefusedError */
    async beforeOpening(): Promise<void> {
      if (stores.eventStore.kind === 'sqlite') begins = await admit();
    },
    /**
     * Gives the opened event log, which takes appends once it is admitted. Call `note` once there is a build registry;
     * on servers the admission does that.
     */
    async opened(log: EventStore) {
      const note = async (): Promise<void> => {
        const first = await toLogIdentityReader(log).first();
        if (first) await registerLogIdentity(stores.readModels, first);
      };
      if (stores.eventStore.kind === 'sqlite') {
        if (begins) await beginLog(log, actor);
        return { eventStore: log, note, lookAgain: () => undefined, stop: () => Promise.resolve() };
      }
      const guarded = guardLog(log, {
        admit: async () => {
          if (await admit(log)) await beginLog(log, actor);
          await note();
        },
        async isConfigured() {
          const first = await toLogIdentityReader(log).first();
          return first !== undefined && (initPolicy.kind !== 'never' || initPolicy.id === first.id);
        },
        onRefused,
      });
      return { ...guarded, note: () => Promise.resolve() };
    },
  };
};
