/** The words that a guardrail looks for, and the texts in which its filters find nothing. */

import { app } from "../../app.ts";
import { TextAreaField } from "../../components/field.tsx";
import { ChoiceRow } from "../../components/segments.tsx";
import type { GuardrailEditModel } from "../../models/guardrail_edit.ts";
import { actionNames, filtersText } from "../../text/guardrails.ts";

const MOST_ROWS = 12;

const actionChoices = (["redact", "block", "flag"] as const).map((value) => ({
  value,
  text: actionNames[value],
}));

const rowsOf = (text: string) => Math.min(MOST_ROWS, Math.max(2, text.split("\n").length));

export function WordLists({ model }: { readonly model: GuardrailEditModel }) {
  const { words = "", except = "", wordsAction = "block" } = model.draft.value ?? {};
  const disabled = !app.session.canChange.value || model.draft.value === undefined;
  return (
    <section aria-label={filtersText.words}>
      <h3>{filtersText.words}</h3>
      <TextAreaField
        label={filtersText.wordList}
        hint={filtersText.wordsHint}
        problem={model.problem("words")}
        rows={rowsOf(words)}
        value={words}
        disabled={disabled}
        onInput={(typed) => model.type({ words: typed })}
      />
      <ChoiceRow
        label={filtersText.actionLabel}
        ariaLabel={filtersText.wordsAction}
        choices={actionChoices}
        value={wordsAction}
        disabled={disabled}
        onChange={(action) => model.type({ wordsAction: action })}
      />
      <TextAreaField
        label={filtersText.except}
        hint={filtersText.exceptHint}
        problem={model.problem("except")}
        rows={rowsOf(except)}
        value={except}
        disabled={disabled}
        onInput={(typed) => model.type({ except: typed })}
      />
    </section>
  );
}
