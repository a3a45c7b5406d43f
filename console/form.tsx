import type { ComponentChildren } from 'preact';
import { go, addressOf } from './address.ts';

/** Fields whose values stand in the address, so that a view can be shared; an unknown one stays as it is. */
export const Filters = ({
  segments,
  children,
  button = 'Show',
}: {
  readonly segments: readonly string[];
  readonly children: ComponentChildren;
  readonly button?: string;
}) => (
  <form
    class="filters"
    onSubmit={(event) => {
      event.preventDefault();
      const values: Record<string, string[]> = {};
      for (const [name, value] of new FormData(event.currentTarget))
        if (typeof value === 'string') (values[name] ??= []).push(value.trim());
      go(addressOf(segments, values));
    }}
  >
    {children}
    <button type="submit">{button}</button>
  </form>
);

export const Field = ({
  label,
  name,
  value,
  ...input
}: {
  readonly label: string;
  readonly name: string;
  readonly value: string | null;
  readonly placeholder?: string;
  readonly required?: boolean;
  readonly list?: string;
}) => (
  <label>
    <span>{label}</span>
    <input name={name} key={value} defaultValue={value ?? ''} autocomplete="off" {...input} />
  </label>
);

export const Choice = ({
  label,
  name,
  value,
  options,
  onChoose,
}: {
  readonly label: string;
  readonly name: string;
  readonly value: string | null;
  /** Values with what is shown of each. */
  readonly options: readonly (readonly [string, string])[];
  readonly onChoose?: (option: string) => void;
}) => (
  <label>
    <span>{label}</span>
    <select
      name={name}
      key={value}
      defaultValue={value ?? ''}
      onInput={(event) => onChoose?.(event.currentTarget.value)}
    >
      {options.map(([option, text]) => (
        <option key={option} value={option} selected={option === (value ?? '')}>
          {text}
        </option>
      ))}
    </select>
  </label>
);
