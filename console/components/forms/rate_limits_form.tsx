/** Requests, tokens and open streams that a key or a workspace may have. */

import { app } from "../../app.ts";
import { type RateLimitName, rateLimitNames } from "../../../shared/rate_limits.ts";
import { parseCount, type RateLimitsModel } from "../../models/rate_limits.ts";
import { commonText } from "../../text/common.ts";
import { keyPanelText } from "../../text/keys.ts";
import { TextField } from "./field.tsx";

const labels = {
  requests_per_minute: keyPanelText.requestsPerMinute,
  tokens_per_minute: keyPanelText.tokensPerMinute,
  concurrent_streams: keyPanelText.streams,
} as const;

/** The three fields; an empty one stands for no limit. */
export function RateLimitFields({ text, disabled = false, onInput }: {
  readonly text: (name: RateLimitName) => string;
  readonly disabled?: boolean;
  readonly onInput: (name: RateLimitName, text: string) => void;
}) {
  return (
    <div class="grid-3 keep">
      {rateLimitNames.map((name) => (
        <TextField
          key={name}
          label={labels[name]}
          placeholder={keyPanelText.unlimited}
          problem={parseCount(text(name)) === undefined ? keyPanelText.countBad : undefined}
          value={text(name)}
          disabled={disabled}
          onInput={(typed) => onInput(name, typed)}
        />
      ))}
    </div>
  );
}

export function RateLimitsForm({ model }: { readonly model: RateLimitsModel }) {
  const disabled = !app.session.canChange.value || model.record.data.value === undefined;
  const save = async () => {
    if (await model.save()) app.toasts.show(commonText.saved, { tone: "good" });
  };
  const refusal = model.refusal.value ?? model.record.failure.value;
  return (
    <section aria-label={keyPanelText.rateLimits}>
      <h3>{keyPanelText.rateLimits}</h3>
      <RateLimitFields
        text={(name) => model.text(name)}
        disabled={disabled}
        onInput={(name, text) => model.type({ [name]: text })}
      />
      {refusal !== undefined && <p class="hint hint-bad" role="alert">{refusal.message}</p>}
      {model.isChanged.value && (
        <div class="row">
          <button
            type="button"
            class="button push"
            disabled={!model.canSave.value}
            onClick={() => void save()}
          >
            {commonText.saveRateLimits}
          </button>
        </div>
      )}
    </section>
  );
}
