/** A filter that lives in the URL: a native choice that looks like a chip. */

import { useId } from "preact/hooks";
import type { Choice } from "./forms/segments.tsx";
import { Icon } from "./icon.tsx";

interface ChipSelectProps<T extends string> {
  readonly label: string;
  readonly choices: readonly Choice<T>[];
  readonly value: T;
  /** The value that filters nothing; another one is marked. */
  readonly none?: T;
  readonly onChange: (value: T) => void;
}

export function ChipSelect<T extends string>({ label, choices, value, none, onChange }: ChipSelectProps<T>) {
  const id = useId();
  const chosen = choices.find((choice) => choice.value === value);
  const change = (event: Event & { readonly currentTarget: HTMLSelectElement }) => {
    const found = choices[event.currentTarget.selectedIndex];
    if (found !== undefined) onChange(found.value);
  };
  return (
    <span class={`chip chip-select${none !== undefined && value !== none ? " chip-on" : ""}`}>
      <label for={id}>{label}</label>
      <b aria-hidden="true">{chosen?.text ?? value}</b>
      <Icon name="arrow_down" />
      <select id={id} onChange={change}>
        {choices.map((choice) => (
          <option key={choice.value} value={choice.value} selected={choice.value === value}>
            {choice.text}
          </option>
        ))}
      </select>
    </span>
  );
}
