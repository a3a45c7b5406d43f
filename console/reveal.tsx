import { useEffect, useState } from 'preact/hooks';
import { setReveal } from './api.ts';
import { useConfirmedAction, type ConfirmedAction } from './dialog.tsx';
import { useIsAdmin } from './session.tsx';

const SHOWN_MS = 300_000;

/**
 * Personal members are masked. An administrator may see them for five minutes, for a reason that is recorded with each
 * question. Gives a key that changes with it, and the button.
 */
export const useReveal = () => {
  const isAdmin = useIsAdmin();
  const [until, setUntil] = useState<number>();
  const hide = () => {
    setReveal(undefined);
    setUntil(undefined);
  };
  useEffect(() => {
    if (until === undefined) return;
    const timer = setTimeout(hide, until - Date.now());
    return () => clearTimeout(timer);
  }, [until]);
  // What one view shows no other one does.
  useEffect(() => () => setReveal(undefined), []);
  const { ask, dialog } = useConfirmedAction(() => undefined);
  const show: ConfirmedAction = {
    title: 'Show personal data',
    about:
      'Names, addresses and numbers are shown on this view for five minutes. Each question is recorded with your reason.',
    name: 'personal data',
    button: 'Show',
    run: (reason) => {
      const end = Date.now() + SHOWN_MS;
      setReveal({ reason: reason ?? '', until: end });
      setUntil(end);
      return Promise.resolve();
    },
  };
  const button =
    isAdmin &&
    (until === undefined ? (
      <button type="button" class="quiet" onClick={() => ask(show)}>
        Show personal data …
      </button>
    ) : (
      <button type="button" onClick={hide}>
        Hide personal data
      </button>
    ));
  return { key: until === undefined ? 'masked' : 'shown', button, dialog };
};
