/** The filters that the gateway brings along: what each does, what it reads, and what stands in place of a match. */

import { app } from "../../app.ts";
import { SelectField, TextField } from "../../components/forms/field.tsx";
import { ChoiceRow } from "../../components/forms/segments.tsx";
import { type BuiltinDraft, type ScanScope, sentBuiltins } from "../../models/guardrails/guardrail_draft.ts";
import type { GuardrailEditModel } from "../../models/guardrails/guardrail_edit.ts";
import { builtinNames } from "../../text/builtin_filters.ts";
import { filtersText } from "../../text/guardrails.ts";
import { actionChoices } from "./action_choices.ts";

const choices = [{ value: "off", text: filtersText.off } as const, ...actionChoices];

const scopes: readonly ScanScope[] = ["unset", "user_only", "all_messages"];
const scopeChoices = scopes.map((value) => ({ value, text: filtersText.scopes[value] }));

interface BuiltinProps {
  readonly model: GuardrailEditModel;
  readonly filter: BuiltinDraft;
  /** Among all rows. */
  readonly at: number;
  readonly disabled: boolean;
}

function Experimental() {
  return (
    <span class="badge badge-warn" title={filtersText.experimentalTitle}>{filtersText.experimental}</span>
  );
}

/** Details of a filter that is on. */
function Detail({ model, filter, at, disabled }: BuiltinProps) {
  const name = builtinNames[filter.slug];
  const path = `content_filter_builtins.${
    sentBuiltins({ builtins: model.draft.value?.builtins ?? [] }).indexOf(filter)
  }`;
  const scopeProblem = model.problem(`${path}.scan_scope`);
  const labelProblem = model.problem(`${path}.label`);
  const other = scopeProblem ?? labelProblem;
  const problem = model.problem(path);
  return (
    <>
      <div class="grid-2 keep">
        <SelectField
          label={filtersText.scope}
          ariaLabel={filtersText.scopeOf(name)}
          problem={scopeProblem}
          choices={scopeChoices}
          value={filter.scope}
          disabled={disabled}
          onChange={(text) => {
            const scope = scopes.find((one) => one === text);
            if (scope !== undefined) model.typeBuiltin(at, { scope });
          }}
        />
        <TextField
          label={filtersText.label}
          ariaLabel={filtersText.labelOf(name)}
          problem={labelProblem}
          value={filter.label}
          disabled={disabled}
          onInput={(label) => model.typeBuiltin(at, { label })}
        />
      </div>
      {other === undefined && problem !== undefined && <p class="hint hint-bad">{problem}</p>}
    </>
  );
}

export function Builtins({ model }: { readonly model: GuardrailEditModel }) {
  const disabled = !app.session.canChange.value || model.draft.value === undefined;
  return (
    <section aria-label={filtersText.builtins}>
      <h3>{filtersText.builtins}</h3>
      <p class="small soft">{filtersText.builtinsHint}</p>
      <ul class="filter-list">
        {(model.draft.value?.builtins ?? []).map((filter, at) => (
          <li key={at} class="stack-small">
            <ChoiceRow
              label={builtinNames[filter.slug]}
              badge={filter.experimental ? <Experimental /> : undefined}
              choices={choices}
              value={filter.action}
              disabled={disabled}
              onChange={(action) => model.typeBuiltin(at, { action })}
            />
            {filter.action !== "off" && <Detail model={model} filter={filter} at={at} disabled={disabled} />}
          </li>
        ))}
      </ul>
    </section>
  );
}
