import type { ComponentChildren } from 'preact';
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { errorMessageOf } from '../src/lib/error.ts';
import { Failure, onSessionBegin, NO_ANSWER_MESSAGE } from './api.ts';
import { Time } from './time.tsx';

/** What was asked for: the last answer, when it came, and why there is no newer one. */
export interface Loaded<T> {
  readonly data: T | undefined;
  readonly heardAt: number | undefined;
  readonly failure: Failure | undefined;
  readonly isLoading: boolean;
  readonly reload: () => void;
}

const RETRY_MS = 2_000;
/** An operator does not wait longer, even where the service asks for that. */
const LONGEST_RETRY_MS = 60_000;
/** A repeated question is answered in less, unless the service hangs. */
const SILENT_MS = 8_000;

const toFailure = (error: unknown): Failure =>
  error instanceof Failure
    ? error
    : error instanceof DOMException && error.name === 'TimeoutError'
      ? new Failure(NO_ANSWER_MESSAGE, 0)
      : new Failure(errorMessageOf(error), 0);

/** Asks once more after a failure that passes, such as a service that restarts. */
const isPassing = ({ status }: Failure): boolean => status === 0 || status === 429 || status === 503;

const NOTHING = { data: undefined, heardAt: undefined, failure: undefined, isLoading: true };

interface KeyedLoaded<T> {
  readonly key: string;
  readonly loaded: Omit<Loaded<T>, 'reload'>;
}
/** What was loaded for a key. */
const loadedIn = <T,>(state: KeyedLoaded<T> | undefined, key: string): KeyedLoaded<T>['loaded'] =>
  state?.key === key ? state.loaded : NOTHING;

/**
 * Asks a question, again whenever its key changes, and every so often where that is said. While the page is hidden
 * nothing is asked.
 */
export const useLoaded = <T,>(
  key: string,
  load: (signal: AbortSignal) => Promise<T>,
  /** Left out: once. */
  everyMs?: number | ((data: T) => number),
): Loaded<T> => {
  const [state, setState] = useState<KeyedLoaded<T>>();
  const [turn, setTurn] = useState(0);
  const latest = useRef(load);
  latest.current = load;
  const reload = useCallback(() => setTurn((count) => count + 1), []);
  useEffect(() => {
    const leaving = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    let stopWaiting: (() => void) | undefined;
    const again = (ms: number) => {
      timer = setTimeout(() => {
        if (!document.hidden) void ask();
        else document.addEventListener('visibilitychange', () => void ask(), { once: true, signal: leaving.signal });
      }, ms);
    };
    const ask = async (): Promise<void> => {
      stopWaiting?.();
      try {
        const data = await latest.current(
          everyMs === undefined ? leaving.signal : AbortSignal.any([leaving.signal, AbortSignal.timeout(SILENT_MS)]),
        );
        if (leaving.signal.aborted) return;
        setState({ key, loaded: { data, heardAt: Date.now(), failure: undefined, isLoading: false } });
        if (everyMs !== undefined) again(typeof everyMs === 'number' ? everyMs : everyMs(data));
      } catch (error) {
        if (leaving.signal.aborted) return;
        const failure = toFailure(error);
        setState((before) => ({ key, loaded: { ...loadedIn(before, key), failure, isLoading: false } }));
        if (failure.status === 401) stopWaiting = onSessionBegin(() => void ask());
        else if (isPassing(failure) || everyMs !== undefined)
          again(Math.min(LONGEST_RETRY_MS, Math.max(RETRY_MS, (failure.retryAfterSeconds ?? 0) * 1_000)));
      }
    };
    setState((before) => ({ key, loaded: { ...loadedIn(before, key), isLoading: true } }));
    void ask();
    return () => {
      clearTimeout(timer);
      stopWaiting?.();
      leaving.abort();
    };
  }, [key, turn, everyMs]);
  return { ...loadedIn(state, key), reload };
};

/** Shows what was loaded; above it why there is nothing newer, and when the service was last heard. */
export const LoadedContent = <T,>({
  of: { data, failure, heardAt },
  children,
}: {
  readonly of: Loaded<T>;
  readonly children: (data: T) => ComponentChildren;
}) => (
  <>
    {failure && (
      <p class="failure" role="alert">
        {failure.message}.{' '}
        {heardAt !== undefined && (
          <>
            What is below was last heard <Time at={new Date(heardAt).toISOString()} />.
          </>
        )}
      </p>
    )}
    {data !== undefined ? (
      children(data)
    ) : failure ? null : (
      <p class="loading" aria-busy="true">
        Loading …
      </p>
    )}
  </>
);

/** Something that is asked for when it is first opened. */
export const LazyDetails = ({
  summary,
  children,
}: {
  readonly summary: string;
  readonly children: () => ComponentChildren;
}) => {
  const [wasOpened, setOpened] = useState(false);
  return (
    <details onToggle={() => setOpened(true)}>
      <summary>{summary}</summary>
      {wasOpened && children()}
    </details>
  );
};
