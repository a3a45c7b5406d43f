import { useEffect } from 'preact/hooks';
import type { RefObject } from 'preact';

const STEPS: Readonly<Record<string, readonly [row: number, cell: number]>> = {
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
  Home: [0, -Infinity],
  End: [0, Infinity],
};

const within = (index: number, length: number): number => Math.max(0, Math.min(index, length - 1));

/**
 * Makes the buttons in the cells of a table one stop of the Tab key, between which the arrow keys go (WAI-ARIA
 * Authoring Practices, grid): the first one, or the one that last had the focus. They are rendered with tabIndex -1.
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
      for (const stop of element.querySelectorAll('button[tabindex="0"]')) stop.setAttribute('tabindex', '-1');
      target.setAttribute('tabindex', '0');
    };
    const onKey = (event: KeyboardEvent) => {
      // With another key they are the browser's, such as to go back.
      if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
      const [rowStep, cellStep] = STEPS[event.key] ?? [0, 0];
      const cell = event.target instanceof Element ? event.target.closest('td') : null;
      const row = cell?.closest('tr');
      if (!cell || !row || (rowStep === 0 && cellStep === 0)) return;
      event.preventDefault();
      const cellAt = within(cell.cellIndex + cellStep, row.cells.length);
      element.rows[row.rowIndex + rowStep]?.cells[cellAt]?.querySelector('button')?.focus();
    };
    element.addEventListener('focusin', onFocus);
    element.addEventListener('keydown', onKey);
    return () => {
      element.removeEventListener('focusin', onFocus);
      element.removeEventListener('keydown', onKey);
    };
  }, []);
};
