/** The parameters that the chosen model takes. */

import { Field, SelectField, TextField } from "../../components/forms/field.tsx";
import type { Chat } from "../../models/playground/chat.ts";
import type { PlayModel } from "../../models/playground/play_models.ts";
import {
  type Effort,
  efforts,
  type NumberParameter,
  numberParameterNames,
  numberParameters,
} from "../../models/playground/settings.ts";
import { effortChoices, settingsText } from "../../text/playground.ts";

/** Whether a model takes a parameter; one that says nothing of them may take all. */
function takes(model: PlayModel | undefined, name: string): boolean {
  return model === undefined || model.parameters.size === 0 || model.parameters.has(name);
}

function NumberField({ settings, name }: {
  readonly settings: Pick<Chat, "settings" | "change">;
  readonly name: NumberParameter;
}) {
  const { min, max, whole } = numberParameters[name];
  const { numbers } = settings.settings.values.value;
  const isWrong = settings.settings.problems.value.has(name);
  return (
    <TextField
      label={settingsText.numbers[name]}
      problem={isWrong ? whole ? settingsText.badCount : settingsText.badNumber(min, max) : undefined}
      value={numbers[name] ?? ""}
      onInput={(text) => settings.change({ numbers: { ...numbers, [name]: text } })}
    />
  );
}

function MaxTokens({ settings, setAside }: {
  readonly settings: Pick<Chat, "settings" | "change">;
  readonly setAside: string | undefined;
}) {
  const isWrong = settings.settings.problems.value.has("max_tokens");
  return (
    <Field
      label={settingsText.maxTokens}
      hint={setAside}
      problem={isWrong ? settingsText.badCount : undefined}
    >
      {(ids) => (
        <div class="with">
          <input
            {...ids}
            class="input"
            inputMode="numeric"
            autoComplete="off"
            value={settings.settings.values.value.maxTokens}
            onInput={({ currentTarget }) => settings.change({ maxTokens: currentTarget.value })}
          />
          <span class="affix affix-end">{settingsText.tokens}</span>
        </div>
      )}
    </Field>
  );
}

export function Parameters({ settings, model, setAside }: {
  readonly settings: Pick<Chat, "settings" | "change">;
  readonly model: PlayModel | undefined;
  readonly setAside: string | undefined;
}) {
  const { effort } = settings.settings.values.value;
  const numbers = numberParameterNames.filter((name) => takes(model, name));
  const toEffort = (text: string): Effort => efforts.find((one) => one === text) ?? "";
  return (
    <section>
      <h2 class="label">{settingsText.parameters}</h2>
      {takes(model, "reasoning") && (
        <SelectField
          label={settingsText.effort}
          choices={effortChoices}
          value={effort}
          onChange={(text) => settings.change({ effort: toEffort(text) })}
        />
      )}
      <MaxTokens settings={settings} setAside={setAside} />
      {numbers.length > 0 && (
        <details class="step">
          <summary>
            <svg class="icon turn-arrow" viewBox="0 0 16 16" aria-hidden="true">
              <path d="m6 4 4 4-4 4" />
            </svg>
            {settingsText.more}
            <span class="push faint">{numbers.length}</span>
          </summary>
          <div class="step-body">
            {numbers.map((name) => <NumberField key={name} settings={settings} name={name} />)}
          </div>
        </details>
      )}
    </section>
  );
}
