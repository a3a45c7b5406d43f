import { createContext, type ComponentChildren } from 'preact';
import { useContext } from 'preact/hooks';
import { navigate, addressOf } from './address.ts';

const Values = createContext(new URLSearchParams());

/** Fields whose values stand in the address, so that a view can be shared; an unknown one stays as it is. */
export const FilterForm = ({
  segments,
  values,
  children,
  button = 'Show',
}: {
  readonly segments: readonly string[];
  /** As they stand in the address. */
  readonly values: URLSearchParams;
  readonly children: ComponentChildren;
  readonly button?: string;
}) => (
  <form
    class="filters"
    onSubmit={(event) => {
      event.preventDefault();
      const chosen: Record<string, string[]> = {};
      for (const [name, value] of new FormData(event.currentTarget))
        if (typeof value === 'string') (chosen[name] ??= []).push(value.trim());
      navigate(addressOf(segments, chosen));
    }}
  >
    <Values.Provider value={values}>{children}</Values.Provider>
    <button type="submit">{button}</button>
  </form>
);

export const Field = ({
  label,
  name,
  ...input
}: {
  readonly label: string;
  readonly name: string;
  readonly placeholder?: string;
}) => {
  const value = useContext(Values).get(name);
  return (
    <label>
      <span>{label}</span>
      <input name={name} key={value} defaultValue={value ?? ''} autocomplete="off" {...input} />
    </label>
  );
};

export const Choice = ({
  label,
  name,
  none,
  options,
  onChoose,
}: {
  readonly label: string;
  readonly name: string;
  /** What is shown of no choice. */
  readonly none: string;
  /** Values, or values with what is shown of each. */
  readonly options: readonly (string | readonly [string, string])[];
  readonly onChoose?: (option: string) => void;
}) => {
  const chosen = useContext(Values).get(name);
  const all = [['', none] as const, ...options].map((each) =>
    typeof each === 'string' ? ([each, each] as const) : each,
  );
  return (
    <label>
      <span>{label}</span>
      <select
        name={name}
        key={chosen}
        defaultValue={chosen ?? ''}
        onInput={(event) => onChoose?.(event.currentTarget.value)}
      >
        {all.map(([option, text]) => (
          <option key={option} value={option} selected={option === (chosen ?? '')}>
            {text}
          </option>
        ))}
      </select>
    </label>
  );
};
