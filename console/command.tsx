import { useRef, useState } from 'preact/hooks';
import { isAllVisible, escapeInvisible } from '../src/lib/escape-invisible.ts';

const SHELL_SAFE_PATTERN = /^[\w@%+=:,./-]+$/;

/**
 * A word as a shell takes it. A line break stays one, since statements have some; other characters that a terminal acts
 * on when they are pasted, or that make a line look like another, become escapes.
 */
const quoteForShell = (word: string): string => {
  if (SHELL_SAFE_PATTERN.test(word)) return word;
  return isAllVisible(word.replaceAll('\n', ''))
    ? `'${word.replaceAll("'", `'\\''`)}'`
    : `$'${escapeInvisible(word.replaceAll(/['\\]/g, String.raw`\$&`))}'`;
};

/** The options that say filters, such as `--time-zone UTC`; those that are empty are left out. */
export const commandOptionsOf = (filters: Readonly<Record<string, string | null | undefined>>): readonly string[] =>
  Object.entries(filters).flatMap(([name, value]) =>
    value ? [`--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`, value] : [],
  );

/** `hiring …`, with each word quoted where a shell needs that. */
export const hiringCommand = (...words: readonly string[]): string => ['hiring', ...words.map(quoteForShell)].join(' ');

const CopyableText = ({ text, label }: { readonly text: string; readonly label: string }) => {
  const [isCopied, setCopied] = useState(false);
  const code = useRef<HTMLElement>(null);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      // There is no clipboard without TLS, or it is denied: it is selected, to be copied by hand.
      if (code.current) getSelection()?.selectAllChildren(code.current);
      return;
    }
    setCopied(true);
    setTimeout(() => setCopied(false), 1_500);
  };
  return (
    <div class="copied">
      <code ref={code}>{text}</code>
      <button type="button" class="quiet" onClick={() => void copy()} aria-label={`Copy the ${label}`}>
        {isCopied ? 'Copied' : 'Copy'}
      </button>
    </div>
  );
};

/** The command and the operation that a view shows the answer of. */
export const EquivalentCommand = ({ line, operation }: { readonly line: string; readonly operation: string }) => (
  <footer class="command" aria-label="The same without a browser">
    <CopyableText text={line} label="command" />
    <CopyableText text={operation} label="operation" />
  </footer>
);
