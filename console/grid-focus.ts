import { useEffect } from 'preact/hooks';
import type { RefObject } from 'preact';

const STEPS: Readonly<Record<string, readonly [rows: number, cells: number]>> = {
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
};

/**
 * Makes the buttons in the cells of a table one stop of the Tab key, between which the arrow keys go (WAI-ARIA Authoring
 * Practices, grid): the first one, or the one that had the focus last. They are rendered with a tabIndex of -1.
 */
export const useGridFocus = (table: RefObject<HTMLTableElement>): void => {
  // After each render: the stop may be gone.
  useEffect(() => {
    if (!table.current?.querySelector('td button[tabindex="0"]'))
      table.current?.querySelector('td button')?.setAttribute('tabindex', '0');
  });
  useEffect(() => {
    const element = table.current;
    if (!element) return;
    const onFocus = ({ target }: FocusEvent) => {
      if (!(target instanceof HTMLButtonElement)) return;
      for (const stop of element.querySelectorAll('button[tabindex="0"]'))
        stop.setAttribute('tabindex', '-1');
      target.setAttribute('tabindex', '0');
    };
    const onKey = (event: KeyboardEvent) => {
      const [rows, cells] = STEPS[event.key] ?? [0, 0];
      const cell = event.target instanceof Element ? event.target.closest('td') : null;
      const row = cell?.closest('tr');
      if (!cell || !row || (rows === 0 && cells === 0)) return;
      event.preventDefault();
      element.rows[row.rowIndex + rows]?.cells[cell.cellIndex + cells]?.querySelector('button')?.focus();
    };
    element.addEventListener('focusin', onFocus);
    element.addEventListener('keydown', onKey);
    return () => {
      element.removeEventListener('focusin', onFocus);
      element.removeEventListener('keydown', onKey);
    };
  }, []);
};
