import type { ComponentChildren } from 'preact';

/** The headings of columns. @param numbers those whose cells are numbers */
export const TableHead = ({
  of,
  numbers = [],
}: {
  readonly of: readonly string[];
  readonly numbers?: readonly string[] | undefined;
}) => (
  <thead>
    <tr>
      {of.map((name) => (
        <th key={name} scope="col" class={numbers.includes(name) ? 'number' : undefined}>
          {name}
        </th>
      ))}
    </tr>
  </thead>
);

/** A table that scrolls by itself where it is wider than the page. @param children its rows */
export const Table = ({
  caption,
  heads,
  numbers,
  children,
  ...table
}: {
  readonly caption?: ComponentChildren;
  readonly heads: readonly string[];
  readonly numbers?: readonly string[];
  readonly children: ComponentChildren;
  readonly class?: string;
}) => (
  <div class="wide" tabIndex={0}>
    <table {...table}>
      {caption !== undefined && <caption>{caption}</caption>}
      <TableHead of={heads} numbers={numbers} />
      <tbody>{children}</tbody>
    </table>
  </div>
);
