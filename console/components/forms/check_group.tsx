/** Some of few: check boxes in a row below their label. */

import { useId } from "preact/hooks";
import type { Choice, ChoiceProps } from "./segments.tsx";

interface CheckGroupProps<T extends string> extends Pick<ChoiceProps<T>, "label"> {
  readonly choices: readonly Choice<T>[];
  readonly chosen: readonly T[];
  readonly hint: string;
  readonly problem?: string | undefined;
  readonly disabled: boolean;
  readonly onChange: (chosen: readonly T[]) => void;
}

export function CheckGroup<T extends string>(props: CheckGroupProps<T>) {
  const { label, choices, chosen, hint, problem, disabled, onChange } = props;
  const id = useId();
  return (
    <fieldset class="field" disabled={disabled} aria-describedby={id}>
      <legend class="label">{label}</legend>
      <div class="row row-wrap">
        {choices.map(({ value, text }) => (
          <label key={value} class="check-label">
            <input
              class="check"
              type="checkbox"
              checked={chosen.includes(value)}
              aria-invalid={problem === undefined ? undefined : true}
              onChange={({ currentTarget: { checked } }) =>
                onChange(checked ? [...chosen, value] : chosen.filter((other) => other !== value))}
            />
            {text}
          </label>
        ))}
      </div>
      <p id={id} class={problem === undefined ? "hint" : "hint hint-bad"}>{problem ?? hint}</p>
    </fieldset>
  );
}
