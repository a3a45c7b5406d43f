export interface OutageMonitorOptions<Failure extends Error> {
  /** Whether it works again: rejects while it does not. */
  readonly probe: () => Promise<unknown>;
  /** Called with the first of several failures, and with undefined when it works again. */
  readonly onChange: (error: Failure | undefined) => void;
  /** Pause between two probes. */
  readonly everyMs?: number | undefined;
}

const EVERY_MS = 1_000;

/** Watches something that may fail for a while, and probes it until it works again. */
export const createOutageMonitor = <Failure extends Error>({
  probe,
  onChange,
  everyMs = EVERY_MS,
}: OutageMonitorOptions<Failure>) => {
  let failure: Failure | undefined;
  let timer: NodeJS.Timeout | undefined;
  let probing: Promise<void> | undefined;
  let isStopped = false;

  /** To be called whenever it works. */
  const worked = (): void => {
    if (!failure) return;
    failure = undefined;
    onChange(undefined);
  };
  const probeOnce = async (): Promise<void> => {
    await probe().then(worked, () => undefined);
    timer = undefined;
    if (failure) probeLater();
  };
  const probeLater = (): void => {
    if (isStopped || timer) return;
    timer = setTimeout(() => {
      probing = probeOnce();
    }, everyMs);
  };

  return {
    /** To be called with each failure. */
    failed: (error: Failure): void => {
      const isFirst = failure === undefined;
      failure = error;
      if (isFirst) onChange(error);
      probeLater();
    },
    worked,
    /** The message of the last failure; undefined while it works. */
    reason: (): string | undefined => failure?.message,
    stop: async (): Promise<void> => {
      isStopped = true;
      clearTimeout(timer);
      await probing;
    },
  };
};
