import { useState } from 'preact/hooks';

const MANY = 50;

const Scalar = ({ value }: { readonly value: unknown }) => {
  const kind = value === null || value === undefined ? 'null' : typeof value;
  return <span class={`json-${kind}`}>{typeof value === 'string' ? JSON.stringify(value) : String(value)}</span>;
};

/** A value as JSON. Lists and objects below the first levels open on a click; long ones show some members at a time. */
export const JsonTree = ({ value, depth = 0 }: { readonly value: unknown; readonly depth?: number }) => {
  const [isOpen, setOpen] = useState(depth < 2);
  const [shown, setShown] = useState(MANY);
  if (typeof value !== 'object' || value === null) return <Scalar value={value} />;
  const isList = Array.isArray(value);
  const entries: [string, unknown][] = Object.entries(value);
  const [begin, end] = isList ? ['[', ']'] : ['{', '}'];
  if (entries.length === 0) return <span>{begin + end}</span>;
  return (
    <span class="json">
      <button type="button" class="fold" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        {begin}
        {!isOpen && ` ${entries.length} ${isList ? 'items' : 'members'} ${end}`}
      </button>
      {isOpen && (
        <>
          <ul>
            {entries.slice(0, shown).map(([name, each]) => (
              <li key={name}>
                {!isList && <span class="json-name">{name}: </span>}
                <JsonTree value={each} depth={depth + 1} />
              </li>
            ))}
            {entries.length > shown && (
              <li>
                <button type="button" class="quiet" onClick={() => setShown(shown + MANY)}>
                  {entries.length - shown} more
                </button>
              </li>
            )}
          </ul>
          {end}
        </>
      )}
    </span>
  );
};
