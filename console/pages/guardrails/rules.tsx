/** The fields of a guardrail besides its content filters. */

import type { ComponentChildren } from "preact";
import { dataRegions } from "../../../shared/guardrails.ts";
import { app } from "../../app.ts";
import { CheckGroup } from "../../components/forms/check_group.tsx";
import { MoneyField, SwitchRow, TextAreaField, TextField } from "../../components/forms/field.tsx";
import { ChoiceRow, RadioSegments } from "../../components/forms/segments.tsx";
import { flagLabels, listLabels } from "../../models/guardrails/guardrail_changes.ts";
import {
  type FlagName,
  listNames,
  trainingNames,
  zdrNames,
} from "../../models/guardrails/guardrail_draft.ts";
import type { GuardrailEditModel } from "../../models/guardrails/guardrail_edit.ts";
import { guardrailPanelText, regionNames } from "../../text/guardrails.ts";

interface RulesProps {
  readonly model: GuardrailEditModel;
}

const isDisabled = ({ draft }: GuardrailEditModel) =>
  !app.session.canChange.value || draft.value === undefined;

export function Naming({ model, children }: RulesProps & { readonly children?: ComponentChildren }) {
  const draft = model.draft.value;
  const disabled = isDisabled(model);
  return (
    <section aria-label={guardrailPanelText.about}>
      <h3>{guardrailPanelText.about}</h3>
      <TextField
        label={guardrailPanelText.name}
        problem={model.problem("name")}
        value={draft?.name ?? ""}
        disabled={disabled}
        onInput={(name) => model.type({ name })}
      />
      <TextField
        label={guardrailPanelText.description}
        problem={model.problem("description")}
        value={draft?.description ?? ""}
        disabled={disabled}
        onInput={(description) => model.type({ description })}
      />
      {children}
    </section>
  );
}

const intervalChoices = (["daily", "weekly", "monthly"] as const).map((value) => ({
  value,
  text: guardrailPanelText.intervals[value],
}));

export function LimitRules({ model }: RulesProps) {
  const draft = model.draft.value;
  const disabled = isDisabled(model);
  const reset = draft?.reset ?? "monthly";
  return (
    <section aria-label={guardrailPanelText.money}>
      <h3>{guardrailPanelText.money}</h3>
      <MoneyField
        label={guardrailPanelText.limit}
        unit={guardrailPanelText.limitUnit[reset]}
        hint={guardrailPanelText.limitHint}
        problem={model.problem("limit_usd") ?? model.problem("reset_interval")}
        value={draft?.limit ?? ""}
        disabled={disabled}
        onInput={(limit) => model.type({ limit })}
      />
      <RadioSegments
        label={guardrailPanelText.resets}
        choices={intervalChoices}
        value={reset}
        disabled={disabled}
        onChange={(value) => model.type({ reset: value })}
      />
      <SwitchRow
        label={guardrailPanelText.byok}
        hint={guardrailPanelText.byokHint}
        checked={draft?.byok ?? false}
        disabled={disabled}
        onChange={(byok) => model.type({ byok })}
      />
    </section>
  );
}

const listHints = {
  allowed_models: guardrailPanelText.modelHint,
  ignored_models: guardrailPanelText.ignoredHint,
  allowed_providers: guardrailPanelText.allowedHint,
  ignored_providers: guardrailPanelText.ignoredHint,
} as const;

const MOST_ROWS = 8;

export function RoutingRules({ model }: RulesProps) {
  return (
    <section aria-label={guardrailPanelText.routing}>
      <h3>{guardrailPanelText.routing}</h3>
      {listNames.map((name) => {
        const text = model.draft.value?.lists[name] ?? "";
        return (
          <TextAreaField
            key={name}
            label={listLabels[name]}
            hint={listHints[name]}
            problem={model.problem(name)}
            rows={Math.min(MOST_ROWS, Math.max(2, text.split("\n").length))}
            mono
            value={text}
            disabled={isDisabled(model)}
            onInput={(typed) => model.typeList(name, typed)}
          />
        );
      })}
    </section>
  );
}

const flagChoices = (["unset", "on", "off"] as const).map((value) => ({
  value,
  text: guardrailPanelText.flags[value],
}));

function FlagRow({ model, name, hint }: RulesProps & { readonly name: FlagName; readonly hint?: string }) {
  return (
    <ChoiceRow
      label={flagLabels[name]}
      hint={hint}
      choices={flagChoices}
      value={model.draft.value?.flags[name] ?? "unset"}
      disabled={isDisabled(model)}
      onChange={(flag) => model.setFlag(name, flag)}
    />
  );
}

const regionChoices = dataRegions.map((value) => ({ value, text: regionNames[value] }));

function Regions({ model }: RulesProps) {
  return (
    <CheckGroup
      label={guardrailPanelText.regions}
      hint={guardrailPanelText.regionsHint}
      problem={model.problem("allowed_data_regions")}
      choices={regionChoices}
      chosen={model.draft.value?.regions ?? []}
      disabled={isDisabled(model)}
      onChange={(regions) => model.type({ regions })}
    />
  );
}

export function DataRules({ model }: RulesProps) {
  return (
    <section aria-label={guardrailPanelText.data}>
      <h3>{guardrailPanelText.data}</h3>
      {zdrNames.map((name) => (
        <FlagRow
          key={name}
          model={model}
          name={name}
          hint={name === "enforce_zdr" ? guardrailPanelText.zdrHint : undefined}
        />
      ))}
      {trainingNames.map((name, at) => (
        <FlagRow
          key={name}
          model={model}
          name={name}
          hint={at === 0 ? guardrailPanelText.trainingHint : undefined}
        />
      ))}
      <Regions model={model} />
    </section>
  );
}
