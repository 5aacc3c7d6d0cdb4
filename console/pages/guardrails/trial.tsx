/** Shows what the filters of a guardrail find in a text, and what would go on. */

import type { FilterOutcome } from "../../../shared/guardrails.ts";
import { app } from "../../app.ts";
import { Callout, Refusal } from "../../components/callout.tsx";
import { TextAreaField } from "../../components/forms/field.tsx";
import type { Tone } from "../../components/icon.tsx";
import { RadioSegments } from "../../components/forms/segments.tsx";
import { Status } from "../../components/status.tsx";
import { filterName } from "../../models/guardrails/guardrail_receipts.ts";
import {
  type GuardrailTrialModel,
  segmentsOf,
  type TextSegment,
} from "../../models/guardrails/guardrail_trial.ts";
import { outcomeNames, trialText } from "../../text/guardrails.ts";

const tones: { readonly [O in FilterOutcome]: Tone } = {
  blocked: "bad",
  redacted: "warn",
  masked: "warn",
  flagged: "warn",
};

const directionChoices = [
  { value: "input", text: trialText.directions.input },
  { value: "output", text: trialText.directions.output },
] as const;

const strongest = (matches: TextSegment["matches"]): FilterOutcome =>
  (["blocked", "redacted", "masked"] as const).find((one) => matches.some(({ action }) => action === one)) ??
    "flagged";

function Segment({ text, matches, ending }: TextSegment) {
  if (matches.length === 0) return <>{text}</>;
  const outcome = strongest(matches);
  const names = new Set(ending.map((match) => trialText.named(filterName(match), match.action)));
  return (
    <mark class={`hit hit-${outcome}`}>
      {text}
      {ending.length > 0 && <span class="hit-name">{[...names].join(", ")}</span>}
    </mark>
  );
}

type Tested = NonNullable<GuardrailTrialModel["tested"]["value"]>;

function Marked({ text, place }: {
  readonly text: string;
  readonly place: Tested["result"]["places"][number];
}) {
  const { matches, match_count: all } = place;
  return (
    <section aria-label={trialText.matches}>
      <div class="section-head">
        <h3>{trialText.matches}</h3>
        <span class="small faint">{trialText.matched(all)}</span>
      </div>
      {matches.length < all && <p class="small soft">{trialText.first(matches.length, all)}</p>}
      <div class="tried" tabIndex={0} role="region" aria-label={trialText.marked}>
        {segmentsOf(text, matches).map((segment, at) => <Segment key={at} {...segment} />)}
      </div>
    </section>
  );
}

function Outcome({ tested: { text, result } }: { readonly tested: Tested }) {
  const { action, places: [place] } = result;
  return (
    <>
      <section aria-label={trialText.result} aria-live="polite">
        <h3>{trialText.result}</h3>
        <div>
          {action === null
            ? <Status tone="good" text={trialText.nothing} />
            : <Status tone={tones[action]} text={outcomeNames[action]} />}
        </div>
        {result.external !== null && <p class="small soft">{trialText.notAsked}</p>}
      </section>
      {place !== undefined && place.match_count > 0 && <Marked text={text} place={place} />}
      {place !== undefined && (
        <section aria-label={trialText.onward}>
          <h3>{trialText.onward}</h3>
          {place.text === null
            ? <p class="small soft">{trialText.stopped}</p>
            : (
              <div class="tried" tabIndex={0} role="region" aria-label={trialText.onwardText}>
                {place.text}
              </div>
            )}
        </section>
      )}
    </>
  );
}

/** Ctrl or ⌘ with Enter tries it too. */
function submitsBy(run: () => void) {
  return (event: KeyboardEvent) => {
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    run();
  };
}

export function Trial({ model, isChanged }: {
  readonly model: GuardrailTrialModel;
  /** There are changes that are not saved. */
  readonly isChanged: boolean;
}) {
  const run = () => void model.run();
  const submit = (event: Event) => {
    event.preventDefault();
    run();
  };
  const { tested: { value: tested } } = model;
  return (
    <>
      {isChanged && <Callout tone="warn">{trialText.unsaved}</Callout>}
      <form class="stack" onSubmit={submit} onKeyDown={submitsBy(run)}>
        <TextAreaField
          label={trialText.text}
          hint={trialText.hint}
          rows={6}
          value={model.text.value}
          onInput={(text) => {
            model.text.value = text;
          }}
        />
        <RadioSegments
          label={trialText.direction}
          choices={directionChoices}
          value={model.direction.value}
          onChange={(direction) => {
            model.direction.value = direction;
          }}
        />
        <div>
          <button
            type="submit"
            class="button button-primary"
            disabled={model.text.value === "" || model.running.value || app.connection.lost.value}
          >
            {model.running.value ? trialText.trying : trialText.submit}
          </button>
        </div>
      </form>
      <Refusal title={trialText.failed} error={model.refusal.value} />
      {tested !== undefined && <Outcome tested={tested} />}
    </>
  );
}
