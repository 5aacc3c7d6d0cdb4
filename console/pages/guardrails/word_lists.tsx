/** The words that a guardrail looks for, and the texts in which its filters find nothing. */

import { app } from "../../app.ts";
import { TextAreaField } from "../../components/forms/field.tsx";
import { ChoiceRow } from "../../components/forms/segments.tsx";
import type { GuardrailEditModel } from "../../models/guardrails/guardrail_edit.ts";
import { filtersText } from "../../text/guardrails.ts";
import { actionChoices } from "./action_choices.ts";

const MOST_ROWS = 12;

const rowsOf = (text: string) => Math.min(MOST_ROWS, Math.max(2, text.split("\n").length));

const lists = {
  words: { label: filtersText.wordList, hint: filtersText.wordsHint },
  except: { label: filtersText.except, hint: filtersText.exceptHint },
} as const;

interface ListProps {
  readonly model: GuardrailEditModel;
  readonly name: keyof typeof lists;
  readonly disabled: boolean;
}

/** One entry a line. */
function WordList({ model, name, disabled }: ListProps) {
  const value = model.draft.value?.[name] ?? "";
  return (
    <TextAreaField
      label={lists[name].label}
      hint={lists[name].hint}
      problem={model.problem(name)}
      rows={rowsOf(value)}
      value={value}
      disabled={disabled}
      onInput={(typed) => model.type({ [name]: typed })}
    />
  );
}

export function WordLists({ model }: { readonly model: GuardrailEditModel }) {
  const disabled = !app.session.canChange.value || model.draft.value === undefined;
  return (
    <section aria-label={filtersText.words}>
      <h3>{filtersText.words}</h3>
      <WordList model={model} name="words" disabled={disabled} />
      <ChoiceRow
        label={filtersText.actionLabel}
        ariaLabel={filtersText.wordsAction}
        choices={actionChoices}
        value={model.draft.value?.wordsAction ?? "block"}
        disabled={disabled}
        onChange={(action) => model.type({ wordsAction: action })}
      />
      <WordList model={model} name="except" disabled={disabled} />
    </section>
  );
}
