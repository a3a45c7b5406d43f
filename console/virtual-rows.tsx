import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';

/** In pixels. */
const ROW_HEIGHT = 36;
/** Rows beyond what is seen, so that scrolling meets no gap. */
const MORE = 10;
/** Browsers draw no element that is higher, in pixels. */
const MAX_HEIGHT = 8_000_000;

/**
 * Rows of one height, of which only those in sight are in the document, however many there are. The box is scrolled by
 * the keyboard, too.
 */
export const VirtualRows = <T,>({
  rows,
  label,
  children,
}: {
  readonly rows: readonly T[];
  readonly label: string;
  readonly children: (row: T) => ComponentChildren;
}) => {
  const box = useRef<HTMLDivElement>(null);
  const [view, setView] = useState({ top: 0, height: 600 });
  useEffect(() => {
    const element = box.current;
    if (!element) return;
    const measure = () => setView({ top: element.scrollTop, height: element.clientHeight });
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    element.addEventListener('scroll', measure, { passive: true });
    return () => {
      observer.disconnect();
      element.removeEventListener('scroll', measure);
    };
  }, []);
  const whole = rows.length * ROW_HEIGHT;
  // A document that is higher than it may be is scrolled in proportion.
  const drawn = Math.min(whole, MAX_HEIGHT);
  const share = drawn <= view.height ? 0 : Math.min(1, view.top / (drawn - view.height));
  const offset = share * Math.max(0, whole - view.height);
  const first = Math.max(0, Math.floor(offset / ROW_HEIGHT) - MORE);
  const last = Math.min(rows.length, Math.ceil((offset + view.height) / ROW_HEIGHT) + MORE);
  return (
    <div class="virtual" ref={box} tabIndex={0} role="region" aria-label={label}>
      <div style={{ height: `${drawn}px` }}>
        <ol start={first + 1} style={{ transform: `translateY(${view.top - offset + first * ROW_HEIGHT}px)` }}>
          {rows.slice(first, last).map((row, index) => (
            <li
              key={first + index}
              style={{ height: `${ROW_HEIGHT}px` }}
              aria-setsize={rows.length}
              aria-posinset={first + index + 1}
            >
              {children(row)}
            </li>
          ))}
        </ol>
      </div>
    </div>
  );
};
