/** When a key ends: a span, or a day and a time in UTC. */

import { app } from "../../app.ts";
import { formatMoment } from "../../format.ts";
import { expiryChoices, type ExpiryDraft, expiryMoment } from "../../models/keys/expiry.ts";
import { newKeyText } from "../../text/keys.ts";
import type { DraftProps } from "./draft_props.ts";
import { MomentField, SelectField } from "./field.tsx";

interface ExpiryDateProps extends DraftProps<ExpiryDraft> {
  /** Sentence on what is missing or past. */
  readonly problem: string | undefined;
}

const choices = expiryChoices.map((value) => ({ value, text: newKeyText.expiryChoices[value] }));

export function ExpirySelect({ draft, disabled, onType }: DraftProps<ExpiryDraft>) {
  return (
    <SelectField
      label={newKeyText.expires}
      hint={newKeyText.expiresHint}
      value={draft.expires}
      choices={choices}
      disabled={disabled}
      onChange={(value) => {
        const expires = expiryChoices.find((choice) => choice === value);
        if (expires !== undefined) onType({ expires });
      }}
    />
  );
}

/** Day and time, where no span fits; nothing otherwise. */
export function ExpiryDateFields({ draft, problem, disabled, onType }: ExpiryDateProps) {
  if (draft.expires !== "date") return null;
  const at = expiryMoment(draft);
  return (
    <div class="grid-2">
      <MomentField
        label={newKeyText.expiryDate}
        type="date"
        min={new Date(app.clock.now()).toISOString().slice(0, 10)}
        hint={at === undefined ? undefined : newKeyText.expiresAt(formatMoment(at))}
        problem={problem}
        disabled={disabled}
        value={draft.expiryDate}
        onInput={(expiryDate) => onType({ expiryDate })}
      />
      <MomentField
        label={newKeyText.expiryTime}
        type="time"
        hint={newKeyText.expiryTimeHint}
        disabled={disabled}
        value={draft.expiryTime}
        onInput={(expiryTime) => onType({ expiryTime })}
      />
    </div>
  );
}
