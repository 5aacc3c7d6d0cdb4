/** Beside the conversation: the model, what it is asked with, and who pays. */

import { SearchChoice } from "../../components/forms/search_choice.tsx";
import { SelectField, SwitchRow, TextAreaField, TextField } from "../../components/forms/field.tsx";
import { Icon } from "../../components/icon.tsx";
import { formatShort, formatUsd } from "../../format.ts";
import type { Chat } from "../../models/playground/chat.ts";
import { isVoice, type PlayModel } from "../../models/playground/play_models.ts";
import {
  firstTools,
  otherTools,
  providerOrders,
  runPlugins,
  type ServerTool,
} from "../../models/playground/settings.ts";
import type { Standing } from "../../models/playground/standing.ts";
import { perMillion, settingsText } from "../../text/playground.ts";
import { Parameters } from "./parameters.tsx";
import { Paying } from "./paying.tsx";

interface SettingsProps {
  readonly chat: Chat;
  readonly models: readonly PlayModel[];
}

function aboutModel(model: PlayModel | undefined): string | undefined {
  if (model === undefined) return undefined;
  const { promptUsd, completionUsd, contextLength } = model;
  if (isVoice(model)) return undefined;
  const price = promptUsd === undefined || completionUsd === undefined
    ? settingsText.unpriced
    : settingsText.prices(perMillion(promptUsd), perMillion(completionUsd));
  return contextLength === null ? price : `${price} ${settingsText.context(formatShort(contextLength))}`;
}

export function ModelField({ label, value, models, onChange }: {
  readonly label: string;
  readonly value: string;
  readonly models: readonly PlayModel[];
  readonly onChange: (model: string) => void;
}) {
  return (
    <SearchChoice
      label={label}
      hint={aboutModel(models.find(({ id }) => id === value))}
      choices={models.map(({ id }) => id)}
      value={value}
      onChange={onChange}
    />
  );
}

function Fallbacks({ chat, models }: SettingsProps) {
  const { fallbacks, model } = chat.settings.values.value;
  const others = models.filter(({ id }) => id !== model && !fallbacks.includes(id)).map(({ id }) => id);
  return (
    <>
      {fallbacks.length > 0 && (
        <div class="row row-wrap" role="group" aria-label={settingsText.fallbacks}>
          {fallbacks.map((id) => (
            <button
              key={id}
              type="button"
              class="chip chip-model"
              aria-label={settingsText.removeFallback(id)}
              title={id}
              onClick={() => chat.change({ fallbacks: fallbacks.filter((one) => one !== id) })}
            >
              <span class="cut">{id}</span>
              <Icon name="close" />
            </button>
          ))}
        </div>
      )}
      <SearchChoice
        label={settingsText.fallbacks}
        hint={settingsText.addFallback}
        choices={others}
        value=""
        adds
        onChange={(id) => chat.change({ fallbacks: [...fallbacks, id] })}
      />
    </>
  );
}

function Providers({ chat }: Pick<SettingsProps, "chat">) {
  const { only, ignore, noDataCollection, instructions } = chat.settings.values.value;
  return (
    <details class="step">
      <summary>
        <svg class="icon turn-arrow" viewBox="0 0 16 16" aria-hidden="true">
          <path d="m6 4 4 4-4 4" />
        </svg>
        {settingsText.moreOf}
      </summary>
      <div class="step-body">
        <TextField
          label={settingsText.only}
          hint={settingsText.slugsHint}
          value={only}
          onInput={(text) => chat.change({ only: text })}
        />
        <TextField
          label={settingsText.ignore}
          value={ignore}
          onInput={(text) => chat.change({ ignore: text })}
        />
        <SwitchRow
          label={settingsText.noDataCollection}
          hint={settingsText.noDataCollectionHint}
          checked={noDataCollection}
          onChange={(on) => chat.change({ noDataCollection: on })}
        />
        <TextAreaField
          label={settingsText.instructions}
          rows={3}
          value={instructions}
          onInput={(text) => chat.change({ instructions: text })}
        />
      </div>
    </details>
  );
}

function Switches<T extends string>({ names, texts, chosen, onChange }: {
  readonly names: readonly NoInfer<T>[];
  readonly texts: Readonly<Record<T, string>>;
  readonly chosen: readonly T[];
  readonly onChange: (chosen: readonly T[]) => void;
}) {
  return (
    <>
      {names.map((name) => (
        <label key={name} class="switch-row">
          <span>{texts[name]}</span>
          <input
            class="switch"
            type="checkbox"
            role="switch"
            checked={chosen.includes(name)}
            onChange={({ currentTarget: { checked } }) =>
              onChange(checked ? [...chosen, name] : chosen.filter((other) => other !== name))}
          />
        </label>
      ))}
    </>
  );
}

function Tools({ chat, models }: SettingsProps) {
  const { tools, plugins, model } = chat.settings.values.value;
  const chosen = models.find(({ id }) => id === model);
  const takesTools = chosen === undefined || chosen.parameters.has("tools");
  const changeTools = (next: readonly ServerTool[]) => chat.change({ tools: next });
  const more = otherTools.filter((name) => tools.includes(name)).length + plugins.length;
  return (
    <section>
      <h2 class="label">{settingsText.tools}</h2>
      {!takesTools && <p class="hint">{settingsText.noTools}</p>}
      <Switches names={firstTools} texts={settingsText.toolNames} chosen={tools} onChange={changeTools} />
      <details class="step">
        <summary>
          <svg class="icon turn-arrow" viewBox="0 0 16 16" aria-hidden="true">
            <path d="m6 4 4 4-4 4" />
          </svg>
          {settingsText.moreTools}
          <span class="push faint">{settingsText.on(more)}</span>
        </summary>
        <div class="step-body">
          <Switches
            names={otherTools}
            texts={settingsText.toolNames}
            chosen={tools}
            onChange={changeTools}
          />
          <h2 class="label">{settingsText.plugins}</h2>
          <Switches
            names={runPlugins}
            texts={settingsText.pluginNames}
            chosen={plugins}
            onChange={(next) => chat.change({ plugins: next })}
          />
        </div>
      </details>
    </section>
  );
}

export function Settings({ chat, models, standing, compares }: SettingsProps & {
  readonly standing: Standing;
  /** Two models are asked. */
  readonly compares: boolean;
}) {
  const { model, otherModel, order } = chat.settings.values.value;
  const reserved = standing.route.value?.reservation?.reserved_usd;
  return (
    <div class="box">
      <section>
        <ModelField
          label={settingsText.model}
          value={model}
          models={models}
          onChange={(next) => chat.change({ model: next })}
        />
        {compares && (
          <ModelField
            label={settingsText.otherModel}
            value={otherModel}
            models={models}
            onChange={(next) => chat.change({ otherModel: next })}
          />
        )}
        <Fallbacks chat={chat} models={models} />
        <SelectField
          label={settingsText.order}
          choices={providerOrders.map((value) => ({ value, text: settingsText.orders[value] }))}
          value={order}
          onChange={(text) => chat.change({ order: providerOrders.find((one) => one === text) ?? "" })}
        />
        <Providers chat={chat} />
      </section>
      <Tools chat={chat} models={models} />
      <Parameters
        settings={chat}
        model={models.find(({ id }) => id === model)}
        setAside={reserved === undefined ? undefined : settingsText.setAside(formatUsd(reserved, 4))}
      />
      <Paying standing={standing} />
    </div>
  );
}
