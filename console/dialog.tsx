import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { errorMessageOf } from '../src/lib/error.ts';

const isClickBeside = (dialog: HTMLElement | null, { target, clientX: x, clientY: y }: MouseEvent): boolean => {
  if (!dialog || target !== dialog) return false;
  const { left, right, top, bottom } = dialog.getBoundingClientRect();
  return x < left || x > right || y < top || y > bottom;
};

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
  useEffect(() => {
    const shown = dialog.current;
    shown?.showModal();
    // Closing it gives the focus back; only removing the element would not.
    return () => shown?.close();
  }, []);
  return (
    <dialog
      ref={dialog}
      aria-labelledby={heading}
      onCancel={(event) => {
        event.preventDefault();
        onClose?.();
      }}
      onClose={() => {
        // Browsers close it at the second Escape, whatever the first was answered.
        if (onClose && dialog.current) onClose();
        else dialog.current?.showModal();
      }}
      onMouseDown={(event) => {
        // Where the click begins: a selection that is dragged may end beside the dialog.
        if (isClickBeside(dialog.current, event)) onClose?.();
      }}
    >
      <h2 id={heading}>{title}</h2>
      {children}
    </dialog>
  );
};

export interface ConfirmedAction {
  readonly title: string;
  /** What will happen, in a sentence or two. */
  readonly about: ComponentChildren;
  /** What has to be typed; undefined for an act that can be undone. */
  readonly name?: string | undefined;
  readonly button: string;
  readonly run: (reason: string | undefined) => Promise<unknown>;
}

/** Asks for confirmation. An act that is hard to undo also needs its name typed, and a reason, which is recorded. */
const ConfirmedActionDialog = ({
  act: { title, about, name, button, run },
  failure,
  onFailure,
  onDone,
  onClose,
}: {
  readonly act: ConfirmedAction;
  readonly failure: string | undefined;
  readonly onFailure: (failure: string | undefined) => void;
  readonly onDone: () => void;
  readonly onClose: () => void;
}) => {
  const [typed, setTyped] = useState('');
  const [reason, setReason] = useState('');
  const [isRunning, setRunning] = useState(false);
  const isReady = (name === undefined || (typed === name && reason.trim() !== '')) && !isRunning;
  const submit = async () => {
    setRunning(true);
    onFailure(undefined);
    try {
      await run(name === undefined ? undefined : reason.trim());
      onDone();
    } catch (error) {
      // What was typed stays, for another try.
      onFailure(errorMessageOf(error));
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
              <span>Reason: required, and recorded</span>
              <input value={reason} maxLength={500} onInput={(event) => setReason(event.currentTarget.value)} />
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

/** Holds the act that is asked about, and why the last one has failed, also once its dialog is closed. */
export const useConfirmedAction = (onDone: () => void) => {
  const [act, setAct] = useState<ConfirmedAction>();
  const [failed, setFailed] = useState<{ readonly act: ConfirmedAction; readonly failure: string }>();
  const dialog = act ? (
    <ConfirmedActionDialog
      act={act}
      failure={failed?.act === act ? failed.failure : undefined}
      onFailure={(failure) => setFailed(failure === undefined ? undefined : { act, failure })}
      onClose={() => {
        setAct(undefined);
        if (failed?.act === act) setFailed(undefined);
      }}
      onDone={() => {
        // One that was closed before it was done leaves the next one open.
        setAct((current) => (current === act ? undefined : current));
        onDone();
      }}
    />
  ) : (
    failed && (
      <p class="failure" role="alert">
        {failed.act.title}: {failed.failure}.
      </p>
    )
  );
  /** What opens the dialog of an act. */
  const button = (next: ConfirmedAction) => (
    <button type="button" onClick={() => setAct(next)}>
      {next.button} …
    </button>
  );
  return { ask: setAct, button, dialog };
};
