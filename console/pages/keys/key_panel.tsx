/** One key beside the list: what it spent, its limit and state, its last requests. */

import { useSignal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import type { KeyRecord } from "../../../shared/keys.ts";
import { app, whenConnected } from "../../app.ts";
import { Id } from "../../components/copy.tsx";
import { MoneyField, SwitchRow, TextField } from "../../components/forms/field.tsx";
import { Meter } from "../../components/meter.tsx";
import { RequestsLink } from "../../components/requests_link.tsx";
import { Panel } from "../../components/panel.tsx";
import { RecordProblem } from "../../components/forms/record_problem.tsx";
import { SaveBar } from "../../components/forms/save_bar.tsx";
import { RadioSegments } from "../../components/forms/segments.tsx";
import { Status } from "../../components/status.tsx";
import { formatLimit, formatMoment, formatUsd } from "../../format.ts";
import { KeyEditModel, resetOf, spentOf } from "../../models/keys/key_edit.ts";
import { keyState } from "../../models/keys/key_state.ts";
import type { KeysModel } from "../../models/keys/keys.ts";
import { parseUsd } from "../../models/money_input.ts";
import { keyPanelText, resetNames } from "../../text/keys.ts";
import { workspaceName } from "../../workspaces.ts";
import { CacheFields } from "./cache_fields.tsx";
import { DeleteKey } from "./delete_key.tsx";
import { KeyActivity } from "./key_activity.tsx";
import { KeyGuardrail } from "./key_guardrail.tsx";
import { RateLimits } from "./rate_limits.tsx";
import { spentSince } from "./key_table.tsx";
import { RotateKey } from "./rotate_key.tsx";
import { useUnsaved } from "../../unsaved.ts";

function Spend({ record }: { readonly record: KeyRecord }) {
  const spent = spentOf(record);
  const period = keyPanelText.periods[resetOf(record)];
  const { limit, limit_remaining: left } = record;
  return (
    <section aria-label={keyPanelText.spent("")}>
      <div class="row">
        <p class="stat-value">
          <RequestsLink of={{ key: record.hash, since: spentSince(record) }}>{formatUsd(spent)}</RequestsLink>
        </p>
        <p class="push small soft">
          {limit === null
            ? `${period}, ${keyPanelText.noLimit}`
            : keyPanelText.ofLimit(formatLimit(limit), period)}
        </p>
      </div>
      <Meter name={record.name} spent={spent} limit={limit} big />
      <div class="meter-keys">
        <span>{keyPanelText.spent(formatUsd(spent))}</span>
        {left !== null && <span>{keyPanelText.left(formatUsd(left))}</span>}
      </div>
    </section>
  );
}

/** Amount that is left under the limit as it is typed. */
function limitHint(model: KeyEditModel, record: KeyRecord): string {
  const limit = parseUsd(model.draft.value?.limit ?? "");
  const spent = spentOf(record);
  const left = limit === null || limit === undefined ? undefined : formatUsd(Math.max(0, limit - spent));
  return keyPanelText.limitHint(formatUsd(spent), left);
}

const resetChoices = [
  { value: "none", text: resetNames.none },
  { value: "daily", text: resetNames.daily },
  { value: "weekly", text: resetNames.weekly },
  { value: "monthly", text: resetNames.monthly },
] as const;

function EditFields({ model, record }: { readonly model: KeyEditModel; readonly record: KeyRecord }) {
  const draft = model.draft.value;
  const disabled = !app.session.canChange.value;
  if (draft === undefined) return null;
  return (
    <section aria-label={keyPanelText.limitAndState}>
      <h3>{keyPanelText.limitAndState}</h3>
      <MoneyField
        label={keyPanelText.limit}
        unit={keyPanelText.limitUnit[draft.reset]}
        hint={limitHint(model, record)}
        problem={model.limitProblem.value}
        value={draft.limit}
        disabled={disabled}
        onInput={(limit) => model.type({ limit })}
      />
      <RadioSegments
        label={keyPanelText.resets}
        choices={resetChoices}
        value={draft.reset}
        disabled={disabled}
        onChange={(reset) => model.type({ reset })}
      />
      <SwitchRow
        label={keyPanelText.byok}
        hint={keyPanelText.byokHint(formatUsd(record.byok_usage_monthly))}
        checked={draft.byok}
        disabled={disabled}
        onChange={(byok) => model.type({ byok })}
      />
      <CacheFields draft={draft} disabled={disabled} onType={(changes) => model.type(changes)} />
      <TextField
        label={keyPanelText.name}
        problem={model.nameProblem.value}
        value={draft.name}
        disabled={disabled}
        onInput={(name) => model.type({ name })}
      />
      <SwitchRow
        label={keyPanelText.disabled}
        hint={keyPanelText.disabledHint}
        checked={draft.disabled}
        disabled={disabled}
        onChange={(on) => model.type({ disabled: on })}
      />
    </section>
  );
}

function Facts({ record }: { readonly record: KeyRecord }) {
  return (
    <section aria-label={keyPanelText.facts}>
      <h3>{keyPanelText.facts}</h3>
      <dl class="facts">
        <dt>{keyPanelText.workspace}</dt>
        <dd>{workspaceName(record.workspace_id)}</dd>
        <dt>{keyPanelText.label}</dt>
        <dd class="mono">{record.label}</dd>
        <dt>{keyPanelText.created}</dt>
        <dd>{formatMoment(record.created_at)}</dd>
        <dt>{keyPanelText.expires}</dt>
        <dd>{record.expires_at === null ? keyPanelText.neverExpires : formatMoment(record.expires_at)}</dd>
      </dl>
    </section>
  );
}

function PanelActions({ record, list }: { readonly record: KeyRecord; readonly list: KeysModel }) {
  const dialog = useSignal<"rotate" | "delete" | undefined>(undefined);
  const open = (which: "rotate" | "delete" | undefined) => () => {
    dialog.value = which;
  };
  const close = open(undefined);
  return (
    <section aria-label={keyPanelText.more}>
      <div class="row row-wrap">
        <button type="button" class="button" onClick={open("rotate")}>{keyPanelText.rotate}</button>
        <a
          class="button"
          href={app.router.link("/keys", { open: "new", like: record.hash })}
        >
          {keyPanelText.like}
        </a>
        <button type="button" class="button button-warn-text" onClick={open("delete")}>
          {keyPanelText.delete}
        </button>
      </div>
      {dialog.value === "rotate" && <RotateKey record={record} list={list} onClose={close} />}
      {dialog.value === "delete" && <DeleteKey record={record} list={list} onClose={close} />}
    </section>
  );
}

export function KeyPanel({ hash, list }: { readonly hash: string; readonly list: KeysModel }) {
  const model = useMemo(() => {
    const known = (list.keys.peek() ?? []).find((key) => key.hash === hash);
    return new KeyEditModel(hash, { api: app.api, known, onChange: (key) => list.replace(key) });
  }, [hash]);
  useEffect(() => whenConnected(() => void model.record.load()), [model]);
  // What is being saved is shown as if it were: it may be refused.
  const isChanged = () => model.changes.peek().length > 0 || model.saving.peek();
  useUnsaved("key", [{ isChanged, discard: () => model.discard() }]);
  const record = model.saved.value;
  const move = (step: 1 | -1) => {
    const next = list.neighbor(step);
    return next === undefined ? undefined : () => list.openKey(next);
  };
  const close = () => {
    list.openKey(undefined);
    document.querySelector<HTMLElement>('tr[aria-current="true"] .row-link')?.focus();
  };
  const canChange = app.session.canChange.value;
  return (
    <Panel
      title={record?.name ?? ""}
      names={keyPanelText}
      about={record && (
        <>
          <Status {...keyState(record, app.minute.value)} />
          <Id id={record.hash} />
        </>
      )}
      onPrevious={move(-1)}
      onNext={move(1)}
      onClose={close}
      foot={model.changes.value.length > 0 || model.saving.value
        ? <SaveBar model={model} saved={keyPanelText.saved} />
        : undefined}
    >
      <RecordProblem model={model} names={keyPanelText} />
      {record !== undefined && (
        <>
          <Spend record={record} />
          <EditFields model={model} record={record} />
          <KeyActivity hash={hash} />
          <RateLimits hash={hash} />
          <KeyGuardrail {...record} />
          <Facts record={record} />
          {canChange && <PanelActions record={record} list={list} />}
        </>
      )}
    </Panel>
  );
}
