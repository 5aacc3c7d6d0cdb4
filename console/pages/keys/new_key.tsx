/** The form for a new key. */

import { useEffect, useMemo } from "preact/hooks";
import { app, whenConnected } from "../../app.ts";
import { ActionDialog, useAction } from "../../components/action_dialog.tsx";
import { Callout, Refusal } from "../../components/callout.tsx";
import { ExpiryDateFields, ExpirySelect } from "../../components/forms/expiry_fields.tsx";
import { MoneyField, SelectField, SwitchRow, TextField } from "../../components/forms/field.tsx";
import { RateLimitFields } from "../../components/forms/rate_limits_form.tsx";
import { RadioSegments } from "../../components/forms/segments.tsx";
import { draftLike } from "../../models/keys/like_key.ts";
import type { KeysModel } from "../../models/keys/keys.ts";
import { NewKeyModel } from "../../models/keys/new_key.ts";
import { createResource } from "../../resource.ts";
import { createdKeyText, keyPanelText, newKeyText, resetNames } from "../../text/keys.ts";
import { chosenWorkspace, workspaces } from "../../workspaces.ts";
import { CacheFields } from "./cache_fields.tsx";
import { CreatedKey } from "./created_key.tsx";

const resetChoices = (["none", "daily", "weekly", "monthly"] as const).map((value) => ({
  value,
  text: resetNames[value],
}));

const NO_GUARDRAIL = "";

function GuardrailField({ model }: { readonly model: NewKeyModel }) {
  const { guardrails, choices, guardrailId } = model;
  return (
    <SelectField
      label={newKeyText.guardrail}
      hint={keyPanelText.guardrailHint}
      problem={guardrails.failure.value?.message}
      value={guardrailId.value ?? NO_GUARDRAIL}
      choices={[
        { value: NO_GUARDRAIL, text: keyPanelText.noGuardrail },
        ...choices.value.map(({ id, name }) => ({ value: id, text: name })),
      ]}
      onChange={(id) => model.type({ guardrailId: id })}
    />
  );
}

function Rates({ model }: { readonly model: NewKeyModel }) {
  const { rates } = model.draft.value;
  return (
    <fieldset class="field">
      <legend class="label">{keyPanelText.rateLimits}</legend>
      <RateLimitFields
        text={(name) => rates[name]}
        onInput={(name, text) => model.type({ rates: { ...rates, [name]: text } })}
      />
    </fieldset>
  );
}

/** The parts that the new key has not got, each with its reason, and the way to try once more. */
function Missing({ model }: { readonly model: NewKeyModel }) {
  const { busy, start } = useAction(() => model.giveMissing());
  const missing = model.missing.value;
  if (missing.length === 0) return null;
  return (
    <Callout tone="bad" live="alert">
      {missing.map(({ part, error }) => (
        <p key={part}>
          <b>{createdKeyText.missing[part]}</b> <span class="soft">{error.message}</span>
        </p>
      ))}
      <button type="button" class="button" disabled={busy.value} onClick={start}>
        {createdKeyText.again}
      </button>
    </Callout>
  );
}

function Fields({ model }: { readonly model: NewKeyModel }) {
  const draft = model.draft.value;
  const shown = model.tried.value;
  return (
    <>
      <TextField
        label={newKeyText.name}
        hint={newKeyText.nameHint}
        problem={shown ? model.problems.value.name : undefined}
        value={draft.name}
        autofocus
        onInput={(name) => model.type({ name })}
      />
      <SelectField
        label={newKeyText.workspace}
        value={draft.workspaceId}
        choices={(workspaces.data.value ?? []).map(({ id, name }) => ({ value: id, text: name }))}
        onChange={(workspaceId) => model.type({ workspaceId })}
      />
      <div class="grid-2">
        <MoneyField
          label={newKeyText.limit}
          unit={keyPanelText.limitUnit[draft.reset]}
          hint={newKeyText.limitHint}
          problem={model.problems.value.limit}
          value={draft.limit}
          onInput={(limit) => model.type({ limit })}
        />
        <ExpirySelect draft={draft} onType={(changes) => model.type(changes)} />
      </div>
      <ExpiryDateFields
        draft={draft}
        problem={shown || model.expiryMoment.value !== undefined ? model.problems.value.expiry : undefined}
        onType={(changes) => model.type(changes)}
      />
      <RadioSegments
        label={keyPanelText.resets}
        choices={resetChoices}
        value={draft.reset}
        onChange={(reset) => model.type({ reset })}
      />
      <SwitchRow
        label={keyPanelText.byok}
        hint={newKeyText.byokHint}
        checked={draft.byok}
        onChange={(byok) => model.type({ byok })}
      />
      <CacheFields draft={draft} onType={(changes) => model.type(changes)} />
      <GuardrailField model={model} />
      <Rates model={model} />
    </>
  );
}

/** Fills the form with the settings of the key that the address names. */
function useLike(model: NewKeyModel) {
  const hash = app.router.query.peek().get("like");
  const like = useMemo(
    () => createResource(() => hash === undefined ? Promise.resolve(undefined) : draftLike(hash, app.api)),
    [],
  );
  useEffect(() => {
    if (hash === undefined) return;
    void like.load().then(() => {
      const found = like.data.peek();
      if (found !== undefined) model.type(found.draft);
    });
  }, [like]);
  return { failure: like.failure.value, likeName: like.data.value?.likeName };
}

export function NewKey({ list }: { readonly list: KeysModel }) {
  const close = () => app.router.setQuery({ open: undefined, like: undefined });
  const model = useMemo(() => {
    const first = chosenWorkspace.peek() ?? workspaces.data.peek()?.[0];
    return new NewKeyModel({ api: app.api, clock: app.clock, workspaceId: first?.id ?? "" });
  }, []);
  useEffect(() => whenConnected(() => void model.guardrails.load()), [model]);
  const { failure, likeName } = useLike(model);
  const { busy, start } = useAction(() => model.create());
  const made = model.made.value;
  if (made !== undefined) {
    const done = () => {
      close();
      void list.restart();
    };
    return (
      <CreatedKey record={made.data} text={made.key} revision={model.missing.value.length} onClose={done}>
        <Missing model={model} />
      </CreatedKey>
    );
  }
  return (
    <ActionDialog
      title={likeName === undefined ? newKeyText.title : newKeyText.titleLike(likeName)}
      wide
      action={{ busy, start, refusal: model.refusal }}
      submit={busy.value ? newKeyText.creating : newKeyText.create}
      failed={newKeyText.failed}
      onClose={close}
    >
      <Refusal title={newKeyText.likeUnreadable} error={failure} />
      <Fields model={model} />
    </ActionDialog>
  );
}
