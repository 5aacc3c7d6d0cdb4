/** A choice among so many that they are searched: what is typed narrows them, and only one of them counts. */

import { useSignal } from "@preact/signals";
import { useEffect, useId } from "preact/hooks";
import { searchChoiceText } from "../../text/common.ts";
import { Field } from "./field.tsx";

/** Choices that are offered at a time. */
const MOST = 50;

/** Choices in which every typed word is. */
function matchingChoices(choices: readonly string[], typed: string): readonly string[] {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  return choices.filter((one) => words.every((word) => one.toLowerCase().includes(word))).slice(0, MOST);
}

interface SearchChoiceProps {
  readonly label: string;
  readonly hint?: string | undefined;
  readonly choices: readonly string[];
  readonly value: string;
  readonly disabled?: boolean;
  /** Each choice is one more: the field is empty again, and what is typed counts once it is whole. */
  readonly adds?: boolean;
  readonly onChange: (choice: string) => void;
}

/** The choice that a typed text names: in full, or as the only one that has it. */
function namedBy(text: string, { choices, adds }: Pick<SearchChoiceProps, "choices" | "adds">) {
  if (choices.includes(text)) return text;
  const [only, ...others] = adds === true || text === "" ? [] : matchingChoices(choices, text);
  return others.length === 0 ? only : undefined;
}

type TextInput = Event & { readonly currentTarget: HTMLInputElement };

export function SearchChoice(props: SearchChoiceProps) {
  const { label, hint, choices, value, disabled, adds = false, onChange } = props;
  /** Undefined while nothing is typed. */
  const draft = useSignal<string | undefined>(undefined);
  const list = useId();
  const choose = (choice: string | undefined) => {
    if (choice === undefined) return;
    if (adds) draft.value = undefined;
    if (choice !== value) onChange(choice);
  };
  const typed = draft.value ?? "";
  const named = draft.value === undefined ? undefined : namedBy(typed, props);
  // Choices may come after what is typed.
  useEffect(() => choose(named), [named]);
  const offered = matchingChoices(choices, typed);
  const isUnknown = choices.length > 0 && offered.length === 0;
  return (
    <Field label={label} hint={hint} problem={isUnknown ? searchChoiceText.none : undefined}>
      {(ids) => (
        <>
          <input
            {...ids}
            class="input"
            list={list}
            title={value}
            value={draft.value ?? value}
            placeholder={value}
            disabled={disabled}
            autoComplete="off"
            spellcheck={false}
            onFocus={(event: TextInput) => event.currentTarget.select()}
            onInput={(event: TextInput) => {
              draft.value = event.currentTarget.value;
              choose(namedBy(draft.value, props));
            }}
            onKeyDown={({ key }) => {
              if (key === "Enter" && typed !== "") choose(offered[0]);
            }}
            onBlur={() => {
              if (choices.length > 0) draft.value = undefined;
            }}
          />
          <datalist id={list}>
            {offered.map((one) => <option key={one} value={one} />)}
          </datalist>
        </>
      )}
    </Field>
  );
}
