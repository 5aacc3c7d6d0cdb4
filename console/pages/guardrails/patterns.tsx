/** The patterns of a guardrail: regular expressions, what is done with a match, and what stands in its place. */

import { app } from "../../app.ts";
import { TextField } from "../../components/forms/field.tsx";
import { Icon } from "../../components/icon.tsx";
import { ChoiceRow } from "../../components/forms/segments.tsx";
import { formatCount } from "../../format.ts";
import type { PatternDraft } from "../../models/guardrails/guardrail_draft.ts";
import type { GuardrailEditModel } from "../../models/guardrails/guardrail_edit.ts";
import { filtersText } from "../../text/guardrails.ts";
import { actionChoices } from "./action_choices.ts";

interface PatternProps {
  readonly model: GuardrailEditModel;
  readonly filter: PatternDraft;
  /** In the body, from 0. */
  readonly at: number;
  readonly disabled: boolean;
}

/** How long a match can be, of a pattern that is saved. */
function boundText(longest: number | null | undefined): string | undefined {
  if (longest === undefined) return undefined;
  if (longest === null) return filtersText.unbounded;
  return filtersText.longest(formatCount(longest), longest === 1);
}

function hintOf(model: GuardrailEditModel, pattern: string): string | undefined {
  const fault = model.patternFault(pattern);
  return fault === undefined ? boundText(model.longestMatch(pattern)) : filtersText.fault(fault);
}

function PatternFields({ model, filter, at, disabled }: PatternProps) {
  const number = at + 1;
  const path = `content_filters.${at}`;
  const labelProblem = model.problem(`${path}.label`);
  return (
    <>
      <TextField
        label={filtersText.pattern(number)}
        hint={hintOf(model, filter.pattern)}
        problem={model.problem(`${path}.pattern`) ??
          (labelProblem === undefined ? model.problem(path) : undefined)}
        mono
        value={filter.pattern}
        disabled={disabled}
        onInput={(pattern) => model.typePattern(filter.row, { pattern })}
      />
      <ChoiceRow
        label={filtersText.actionLabel}
        ariaLabel={filtersText.action(number)}
        choices={actionChoices}
        value={filter.action}
        disabled={disabled}
        onChange={(action) => model.typePattern(filter.row, { action })}
      />
      <div class="with-button">
        <TextField
          label={filtersText.label}
          ariaLabel={filtersText.labelOf(filtersText.pattern(number))}
          problem={labelProblem}
          value={filter.label}
          disabled={disabled}
          onInput={(label) => model.typePattern(filter.row, { label })}
        />
        {app.session.canChange.value && (
          <button
            type="button"
            class="button button-icon button-plain"
            aria-label={filtersText.removePattern(number)}
            title={filtersText.removePattern(number)}
            onClick={() => model.removePattern(filter.row)}
          >
            <Icon name="trash" />
          </button>
        )}
      </div>
    </>
  );
}

/** Adds a row and puts the cursor into its pattern. */
function addPattern(model: GuardrailEditModel): void {
  model.addPattern();
  app.clock.after(
    0,
    () => document.querySelector<HTMLElement>("[data-patterns] > :last-child input")?.focus(),
  );
}

export function Patterns({ model }: { readonly model: GuardrailEditModel }) {
  const patterns = model.draft.value?.patterns ?? [];
  const canChange = app.session.canChange.value;
  const disabled = !canChange || model.draft.value === undefined;
  const isWhole = model.issues.value.find(({ path }) => path === "content_filters")?.message;
  return (
    <section aria-label={filtersText.patterns}>
      <h3>{filtersText.patterns}</h3>
      <p class="small soft">{patterns.length === 0 ? filtersText.noPatterns : filtersText.patternsHint}</p>
      {isWhole !== undefined && <p class="hint hint-bad" role="alert">{isWhole}</p>}
      <ul class="filter-list" data-patterns>
        {patterns.map((filter, at) => (
          <li key={filter.row} class="stack-small">
            <PatternFields model={model} filter={filter} at={at} disabled={disabled} />
          </li>
        ))}
      </ul>
      {canChange && (
        <div>
          <button type="button" class="button" disabled={disabled} onClick={() => addPattern(model)}>
            <Icon name="plus" />
            {filtersText.addPattern}
          </button>
        </div>
      )}
    </section>
  );
}
