/** The choice whether parts pass that no filter can read. */

import { app } from "../../app.ts";
import { ChoiceRow } from "../../components/forms/segments.tsx";
import type { GuardrailEditModel } from "../../models/guardrails/guardrail_edit.ts";
import { filtersText } from "../../text/guardrails.ts";

const choices = (["allow", "block"] as const).map((value) => ({
  value,
  text: filtersText.unreadableChoices[value],
}));

export function Unreadable({ model }: { readonly model: GuardrailEditModel }) {
  return (
    <section aria-label={filtersText.unreadable}>
      <h3>{filtersText.unreadable}</h3>
      <ChoiceRow
        label={filtersText.unreadable}
        hint={filtersText.unreadableHint}
        choices={choices}
        value={model.draft.value?.unreadable ?? "allow"}
        disabled={!app.session.canChange.value || model.draft.value === undefined}
        onChange={(unreadable) => model.type({ unreadable })}
      />
    </section>
  );
}
