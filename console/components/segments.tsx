/** One of few: buttons in a row, or radio buttons in a form. */

import { useId } from "preact/hooks";

export interface Choice<T extends string> {
  readonly value: T;
  readonly text: string;
}

export interface ChoiceProps<T extends string> {
  readonly label: string;
  readonly choices: readonly Choice<T>[];
  readonly value: T;
  readonly onChange: (value: T) => void;
}

export function Segments<T extends string>({ label, choices, value, onChange }: ChoiceProps<T>) {
  return (
    <div class="segments" role="group" aria-label={label}>
      {choices.map((choice) => (
        <button
          type="button"
          key={choice.value}
          aria-pressed={choice.value === value}
          onClick={() => onChange(choice.value)}
        >
          {choice.text}
        </button>
      ))}
    </div>
  );
}

/** In forms: arrow keys move the choice. */
export function RadioSegments<T extends string>(
  { label, choices, value, onChange, disabled = false }: ChoiceProps<T> & { readonly disabled?: boolean },
) {
  const name = useId();
  return (
    <fieldset class="field" disabled={disabled}>
      <legend class="label">{label}</legend>
      <div class="segments segments-wide">
        {choices.map((choice) => (
          <label key={choice.value}>
            <input
              type="radio"
              name={name}
              checked={choice.value === value}
              onChange={() => onChange(choice.value)}
            />
            {choice.text}
          </label>
        ))}
      </div>
    </fieldset>
  );
}
