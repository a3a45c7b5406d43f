import { useState } from 'preact/hooks';

const SAFE = /^[\w@%+=:,./-]+$/;

/** A word as a shell takes it. */
export const quoted = (word: string): string =>
  SAFE.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;

/** `hiring …`, with each word quoted where a shell needs that; words that are undefined are left out. */
export const hiring = (...words: readonly (string | undefined)[]): string =>
  ['hiring', ...words.filter((word) => word !== undefined).map(quoted)].join(' ');

const Copied = ({ text, label }: { readonly text: string; readonly label: string }) => {
  const [isCopied, setCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    setCopied(true);
    setTimeout(() => setCopied(false), 1_500);
  };
  return (
    <div class="copied">
      <code>{text}</code>
      <button type="button" class="quiet" onClick={() => void copy()} aria-label={`Copy the ${label}`}>
        {isCopied ? 'Copied' : 'Copy'}
      </button>
    </div>
  );
};

/** The command and the operation that a view shows the answer of. */
export const Command = ({ line, operation }: { readonly line: string; readonly operation: string }) => (
  <footer class="command" aria-label="The same without a browser">
    <Copied text={line} label="command" />
    <Copied text={operation} label="operation" />
  </footer>
);
