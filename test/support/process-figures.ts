/** A service's figures of its own process in `/metrics`. */
export interface ProcessFigures {
  readonly residentMegabytes: number;
  /** Connections, that of the request among them. */
  readonly openConnections: number;
  /** The longest that the event loop was held since the last request, in milliseconds; 10 when it is idle. */
  readonly heldMs: number;
}

const figureIn = (text: string, name: string): number => {
  const value = new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1];
  if (value === undefined) throw new Error(`/metrics does not tell ${name}`);
  return Number(value);
};

export const readFigures = async (url: string): Promise<ProcessFigures> => {
  const text = await (await fetch(`${url}/metrics`)).text();
  return {
    residentMegabytes: figureIn(text, 'process_resident_memory_bytes') / 1e6,
    openConnections: figureIn(text, 'nodejs_active_handles\\{type="Socket"\\}'),
    heldMs: figureIn(text, 'nodejs_eventloop_lag_max_seconds') * 1_000,
  };
};
