/** All filters of the requests in one form. */

import { useMemo } from "preact/hooks";
import { app } from "../../app.ts";
import { ActionDialog, useAction } from "../../components/action_dialog.tsx";
import { MomentField, MoneyField, SelectField, TextField } from "../../components/forms/field.tsx";
import type { KeyNames } from "../../models/keys/key_names.ts";
import { type DraftName, FilterDraft } from "../../models/requests/filter_draft.ts";
import { errorKinds } from "../../models/requests/request_filters.ts";
import type { RequestsModel } from "../../models/requests/requests.ts";
import { filterNames, filtersText, requestsText } from "../../text/requests.ts";

interface FilterFieldsProps {
  readonly draft: FilterDraft;
}

const errorChoices = [
  { value: "", text: requestsText.any },
  ...errorKinds.map((kind) => ({ value: kind, text: kind.replaceAll("_", " ") })),
];
const fellBackChoices = [
  { value: "", text: filtersText.fellBack.any },
  { value: "true", text: filtersText.fellBack.true },
  { value: "false", text: filtersText.fellBack.false },
];

function TimeFields({ draft }: FilterFieldsProps) {
  const values = draft.values.value;
  const moment = (
    name: DraftName,
    { type, label }: { readonly type: "date" | "time"; readonly label: string },
  ) => (
    <MomentField
      type={type}
      label={label}
      value={values[name]}
      onInput={(text) => draft.type(name, text)}
    />
  );
  const problem = draft.spanProblem.value;
  return (
    <div class="stack-small">
      <div class="grid-2 keep">
        {moment("from_day", { type: "date", label: filtersText.from })}
        {moment("from_time", { type: "time", label: filtersText.fromTime })}
        {moment("until_day", { type: "date", label: filtersText.until })}
        {moment("until_time", { type: "time", label: filtersText.untilTime })}
      </div>
      <p class={problem === undefined ? "hint" : "hint hint-bad"} role="status">
        {problem ?? filtersText.utc}
      </p>
    </div>
  );
}

function NameFields({ draft }: FilterFieldsProps) {
  const values = draft.values.value;
  const field = (
    name: DraftName & keyof typeof filterNames,
    more: { readonly hint?: string; readonly problem?: string; readonly autofocus?: boolean } = {},
  ) => (
    <TextField
      label={filterNames[name]}
      value={values[name]}
      onInput={(text) => draft.type(name, text)}
      {...more}
    />
  );
  return (
    <div class="grid-2">
      {field("model", { hint: filtersText.modelHint, autofocus: true })}
      {field("asked")}
      {field("provider")}
      {field("key", { hint: filtersText.keyHint, problem: draft.keyProblem.value })}
      {field("user")}
      {field("session", { hint: filtersText.sessionHint })}
      {field("preset")}
      {field("tag")}
    </div>
  );
}

function OutcomeFields({ draft }: FilterFieldsProps) {
  const values = draft.values.value;
  return (
    <div class="grid-2">
      <MoneyField
        label={filterNames.min_cost}
        unit={filtersText.moneyUnit}
        problem={draft.costProblem.value}
        value={values.min_cost}
        onInput={(text) => draft.type("min_cost", text)}
      />
      <TextField
        label={filtersText.seconds}
        problem={draft.secondsProblem.value}
        value={values.seconds}
        onInput={(text) => draft.type("seconds", text)}
      />
      <SelectField
        label={filterNames.error}
        choices={errorChoices}
        value={values.error}
        onChange={(kind) => draft.type("error", kind)}
      />
      <SelectField
        label={filterNames.fell_back}
        choices={fellBackChoices}
        value={values.fell_back}
        onChange={(text) => draft.type("fell_back", text)}
      />
    </div>
  );
}

export function FilterDialog({ model, names }: {
  readonly model: RequestsModel;
  readonly names: KeyNames;
}) {
  const draft = useMemo(() => {
    const { key } = model.filters.peek();
    const keyName = key === undefined ? undefined : names.of(key) ?? undefined;
    return new FilterDraft({ api: app.api, query: app.router.query.peek(), keyName });
  }, []);
  const close = () => app.router.setQuery({ open: undefined });
  const action = useAction(async () => {
    const changes = await draft.changes();
    if (changes !== undefined) app.router.setQuery({ ...changes, open: undefined });
  });
  return (
    <ActionDialog
      title={filtersText.title}
      action={action}
      submit={filtersText.apply}
      failed={filtersText.failed}
      disabled={!draft.isSound.value}
      wide
      onClose={close}
    >
      <p class="soft">{filtersText.hint}</p>
      <NameFields draft={draft} />
      <OutcomeFields draft={draft} />
      <TimeFields draft={draft} />
      <TextField
        label={filterNames.id}
        hint={filtersText.idHint}
        value={draft.values.value.id}
        onInput={(text) => draft.type("id", text)}
      />
    </ActionDialog>
  );
}
