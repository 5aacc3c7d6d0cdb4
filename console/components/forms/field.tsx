/** Form fields: label above, hint below; what is wrong replaces the hint. */

import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";
import { Icon } from "../icon.tsx";

interface FieldProps {
  readonly label: string;
  /** For screen readers, where the label stands on several fields. */
  readonly ariaLabel?: string;
  readonly hint?: ComponentChildren;
  /** In words what is wrong and what is allowed. */
  readonly problem?: string | undefined;
}

export interface FieldIds {
  readonly id: string;
  readonly "aria-label": string | undefined;
  readonly "aria-describedby": string | undefined;
  readonly "aria-invalid": boolean | undefined;
}

/** The frame of a field, around the control that it is given. */
export function Field(
  { label, ariaLabel, hint, problem, children }: FieldProps & {
    readonly children: (ids: FieldIds) => ComponentChildren;
  },
) {
  const id = useId();
  const described = hint === undefined && problem === undefined ? undefined : `${id}-hint`;
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children({
        id,
        "aria-label": ariaLabel,
        "aria-describedby": described,
        "aria-invalid": problem === undefined ? undefined : true,
      })}
      {problem === undefined
        ? hint !== undefined && <p class="hint" id={described}>{hint}</p>
        : (
          <p class="hint hint-bad" id={described}>
            <Icon name="alert" />
            <span>{problem}</span>
          </p>
        )}
    </div>
  );
}

type TextInput = Event & { readonly currentTarget: HTMLInputElement };

interface TextFieldProps extends FieldProps {
  readonly value: string;
  readonly onInput: (value: string) => void;
  readonly onBlur?: () => void;
  readonly placeholder?: string;
  readonly disabled?: boolean;
  readonly autofocus?: boolean;
  readonly mono?: boolean;
}

export function TextField(props: TextFieldProps) {
  const { value, onInput, onBlur, placeholder, disabled, autofocus, mono = false } = props;
  return (
    <Field {...props}>
      {(ids) => (
        <input
          {...ids}
          class={`input${mono ? " mono" : ""}`}
          value={value}
          placeholder={placeholder}
          disabled={disabled}
          autoFocus={autofocus}
          autoComplete="off"
          onInput={(event: TextInput) => onInput(event.currentTarget.value)}
          onBlur={onBlur}
        />
      )}
    </Field>
  );
}

interface MomentFieldProps extends FieldProps {
  readonly type: "date" | "time";
  /** The least value that the browser offers. */
  readonly min?: string;
  readonly value: string;
  readonly disabled?: boolean;
  readonly onInput: (value: string) => void;
}

/** A day or a time of day, chosen by what the browser has for it. */
export function MomentField(props: MomentFieldProps) {
  const { type, min, value, disabled, onInput } = props;
  return (
    <Field {...props}>
      {(ids) => (
        <input
          {...ids}
          class="input"
          type={type}
          min={min}
          value={value}
          disabled={disabled}
          onInput={(event: TextInput) => onInput(event.currentTarget.value)}
        />
      )}
    </Field>
  );
}

interface TextAreaFieldProps extends FieldProps {
  readonly value: string;
  readonly rows: number;
  readonly disabled?: boolean;
  readonly mono?: boolean;
  readonly onInput: (value: string) => void;
}

export function TextAreaField(props: TextAreaFieldProps) {
  const { value, rows, disabled, mono = false, onInput } = props;
  return (
    <Field {...props}>
      {(ids) => (
        <textarea
          {...ids}
          class={`input${mono ? " mono" : ""}`}
          rows={rows}
          value={value}
          disabled={disabled}
          spellcheck={false}
          onInput={(event: Event & { readonly currentTarget: HTMLTextAreaElement }) =>
            onInput(event.currentTarget.value)}
        />
      )}
    </Field>
  );
}

interface MoneyFieldProps extends TextFieldProps {
  /** Behind the number: `USD a month`. */
  readonly unit: string;
}

/** USD with up to nine decimals. */
export function MoneyField(props: MoneyFieldProps) {
  const { value, onInput, onBlur, placeholder, disabled, autofocus, unit } = props;
  return (
    <Field {...props}>
      {(ids) => (
        <div class="with">
          <span class="affix" aria-hidden="true">$</span>
          <input
            {...ids}
            class="input"
            inputMode="decimal"
            autoComplete="off"
            value={value}
            placeholder={placeholder}
            disabled={disabled}
            autoFocus={autofocus}
            onInput={(event: TextInput) => onInput(event.currentTarget.value)}
            onBlur={onBlur}
          />
          <span class="affix affix-end">{unit}</span>
        </div>
      )}
    </Field>
  );
}

interface SelectFieldProps extends FieldProps {
  readonly choices: readonly { readonly value: string; readonly text: string }[];
  readonly value: string;
  readonly disabled?: boolean;
  readonly onChange: (value: string) => void;
}

export function SelectField(props: SelectFieldProps) {
  const { choices, value, disabled, onChange } = props;
  return (
    <Field {...props}>
      {(ids) => (
        <div class="select">
          <select
            {...ids}
            class="input"
            disabled={disabled}
            onChange={(event: Event & { readonly currentTarget: HTMLSelectElement }) =>
              onChange(event.currentTarget.value)}
          >
            {choices.map((choice) => (
              <option key={choice.value} value={choice.value} selected={choice.value === value}>
                {choice.text}
              </option>
            ))}
          </select>
          <Icon name="arrow_down" />
        </div>
      )}
    </Field>
  );
}

/** A setting that is on or off. */
export function SwitchRow({ label, hint, checked, disabled, onChange }: {
  readonly label: string;
  readonly hint: string;
  readonly checked: boolean;
  readonly disabled?: boolean;
  readonly onChange: (checked: boolean) => void;
}) {
  const id = useId();
  return (
    <div class="switch-row">
      <span>
        <label class="label" for={id}>{label}</label>
        <span class="hint" id={`${id}-hint`}>{hint}</span>
      </span>
      <input
        id={id}
        class="switch"
        type="checkbox"
        role="switch"
        aria-describedby={`${id}-hint`}
        checked={checked}
        disabled={disabled}
        onChange={(event: TextInput) => onChange(event.currentTarget.checked)}
      />
    </div>
  );
}
