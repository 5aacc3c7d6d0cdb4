/** One of few: buttons in a row, or radio buttons in a form. */

import type { ComponentChildren } from "preact";
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

interface ChoiceRowProps<T extends string> extends ChoiceProps<T> {
  /** For screen readers, where the label stands on several choices. */
  readonly ariaLabel?: string;
  /** Behind the label. */
  readonly badge?: ComponentChildren;
  readonly hint?: string;
  readonly disabled?: boolean;
}

/** In forms with many such choices: the label on the left, the choice on the right. */
export function ChoiceRow<T extends string>(props: ChoiceRowProps<T>) {
  const { label, ariaLabel, badge, hint, choices, value, disabled = false, onChange } = props;
  const id = useId();
  return (
    <div class="choice-row">
      <span class="choice-name">
        <span class="row row-wrap">
          <span class="label" id={`${id}-label`}>{label}</span>
          {badge}
        </span>
        {hint !== undefined && <span class="hint" id={`${id}-hint`}>{hint}</span>}
      </span>
      <div
        class="segments"
        role="radiogroup"
        aria-label={ariaLabel}
        aria-labelledby={ariaLabel === undefined ? `${id}-label` : undefined}
        aria-describedby={hint === undefined ? undefined : `${id}-hint`}
      >
        {choices.map((choice) => (
          <label key={choice.value}>
            <input
              type="radio"
              name={id}
              checked={choice.value === value}
              disabled={disabled}
              onChange={() => onChange(choice.value)}
            />
            {choice.text}
          </label>
        ))}
      </div>
    </div>
  );
}
