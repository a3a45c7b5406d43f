import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { Failure } from './api.ts';

/** A modal dialog; Escape and a click beside it close it. */
export const Dialog = ({
  title,
  onClose,
  children,
}: {
  readonly title: string;
  readonly onClose?: () => void;
  readonly children: ComponentChildren;
}) => {
  const dialog = useRef<HTMLDialogElement>(null);
  const heading = useId();
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog
      ref={dialog}
      aria-labelledby={heading}
      onCancel={(event) => {
        event.preventDefault();
        onClose?.();
      }}
      onClick={(event) => {
        if (event.target === dialog.current) onClose?.();
      }}
    >
      <h2 id={heading}>{title}</h2>
      {children}
    </dialog>
  );
};

export interface Act {
  readonly title: string;
  /** What will happen, in a sentence or two. */
  readonly about: ComponentChildren;
  /** What has to be typed; undefined for an act that can be undone. */
  readonly name?: string | undefined;
  readonly button: string;
  readonly run: (reason: string | undefined) => Promise<unknown>;
}

/** Asks whether an act is meant: for one that is hard to undo by its name, and by a reason, which is recorded. */
export const ActDialog = ({
  act: { title, about, name, button, run },
  onDone,
  onClose,
}: {
  readonly act: Act;
  readonly onDone: () => void;
  readonly onClose: () => void;
}) => {
  const [typed, setTyped] = useState('');
  const [reason, setReason] = useState('');
  const [failure, setFailure] = useState<string>();
  const [isRunning, setRunning] = useState(false);
  const isReady = (name === undefined || (typed === name && reason.trim() !== '')) && !isRunning;
  const submit = async () => {
    setRunning(true);
    setFailure(undefined);
    try {
      await run(name === undefined ? undefined : reason.trim());
      onDone();
    } catch (error) {
      // What was typed stays, for another try.
      setFailure(error instanceof Failure ? error.message : String(error));
      setRunning(false);
    }
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (isReady) void submit();
        }}
      >
        <p>{about}</p>
        {name !== undefined && (
          <>
            <label>
              <span>
                Type <code>{name}</code> to confirm
              </span>
              <input
                value={typed}
                onInput={(event) => setTyped(event.currentTarget.value)}
                autocomplete="off"
                autofocus
              />
            </label>
            <label>
              <span>Reason, which is recorded</span>
              <input
                value={reason}
                maxLength={500}
                onInput={(event) => setReason(event.currentTarget.value)}
              />
            </label>
          </>
        )}
        {failure !== undefined && (
          <p class="failure" role="alert">
            {failure}
          </p>
        )}
        <p class="buttons">
          <button type="submit" disabled={!isReady}>
            {isRunning ? 'Working …' : button}
          </button>
          <button type="button" class="quiet" onClick={onClose}>
            Leave it
          </button>
        </p>
      </form>
    </Dialog>
  );
};

/** Holds the act that is asked about; give it to `ActDialog`. */
export const useAct = (onDone: () => void) => {
  const [act, setAct] = useState<Act>();
  const dialog = act && (
    <ActDialog
      act={act}
      onClose={() => setAct(undefined)}
      onDone={() => {
        setAct(undefined);
        onDone();
      }}
    />
  );
  return { ask: setAct, dialog };
};
