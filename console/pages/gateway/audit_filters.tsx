/** Filters of the audit log: time, action, target and actor, all in the address. */

import { useSignal } from "@preact/signals";
import { app } from "../../app.ts";
import { ActionDialog, useAction } from "../../components/action_dialog.tsx";
import { ChipSelect } from "../../components/chip.tsx";
import { MomentField } from "../../components/forms/field.tsx";
import { SearchField } from "../../components/forms/search_field.tsx";
import { formatShortDay, formatTime } from "../../format.ts";
import type { AuditModel } from "../../models/gateway/audit.ts";
import { ranges } from "../../models/series.ts";
import { auditedOperations, auditedSubjects, auditText, auditTimeText } from "../../text/gateway/audit.ts";

interface AuditFiltersProps {
  readonly model: AuditModel;
}

/** Value of a choice that filters nothing. */
const ANY = "";
const BETWEEN = "between";

const openTime = () => app.router.setQuery({ open: "time" }, { push: true });

function spanText({ span }: AuditModel): string | undefined {
  const { since, until } = span.value;
  const text = (at: number | undefined) =>
    at === undefined ? "…" : `${formatShortDay(at)}, ${formatTime(at)}`;
  return since === undefined && until === undefined ? undefined : `${text(since)} – ${text(until)}`;
}

function TimeChip({ model }: AuditFiltersProps) {
  const span = spanText(model);
  return (
    <ChipSelect
      label={auditText.time}
      value={model.range.value?.id ?? (span === undefined ? ANY : BETWEEN)}
      none={ANY}
      choices={[
        { value: ANY, text: auditText.always },
        ...ranges.map(({ id, text }) => ({ value: id, text: auditText.since(text) })),
        { value: BETWEEN, text: span ?? auditText.between },
      ]}
      onChange={(value) => value === BETWEEN ? openTime() : model.setRange(value)}
    />
  );
}

interface MapChipProps extends AuditFiltersProps {
  readonly label: string;
  readonly filter: "operation" | "type" | "actor";
  readonly names: ReadonlyMap<string, string>;
}

/** A choice of names, and of the value that the address has besides. */
function MapChip({ model, label, filter, names }: MapChipProps) {
  const value = model.filterOf(filter) ?? ANY;
  const isOther = value !== ANY && !names.has(value);
  const other = filter === "actor" ? model.nameOf(value) ?? value.slice(0, 12) : value;
  return (
    <ChipSelect
      label={label}
      value={value}
      none={ANY}
      choices={[
        { value: ANY, text: auditText.any },
        ...[...names].map(([one, text]) => ({ value: one, text })),
        ...(isOther ? [{ value, text: other }] : []),
      ]}
      onChange={(chosen) => model.setFilters({ [filter]: chosen })}
    />
  );
}

const momentOf = (day: string, time: string): string | undefined => {
  if (day === "") return undefined;
  const at = Date.parse(`${day}T${time === "" ? "00:00" : time}Z`);
  return Number.isNaN(at) ? undefined : new Date(at).toISOString();
};

function TimeDialog({ model }: AuditFiltersProps) {
  const parts = (at: number | undefined) =>
    at === undefined ? ["", ""] : new Date(at).toISOString().split("T");
  const { since, until } = model.span.peek();
  const [[fromDay = "", fromTime = ""], [untilDay = "", untilTime = ""]] = [parts(since), parts(until)];
  const draft = useSignal({
    fromDay,
    fromTime: fromTime.slice(0, 5),
    untilDay,
    untilTime: untilTime.slice(0, 5),
  });
  const value = draft.value;
  const [from, to] = [momentOf(value.fromDay, value.fromTime), momentOf(value.untilDay, value.untilTime)];
  const isHalf = (value.fromDay === "" && value.fromTime !== "") ||
    (value.untilDay === "" && value.untilTime !== "");
  const isBad = isHalf || (from !== undefined && to !== undefined && from >= to);
  const close = () => app.router.setQuery({ open: undefined });
  const action = useAction(() => {
    close();
    model.setSpan({ since: from, until: to });
    return Promise.resolve();
  });
  const field = (name: keyof typeof value, label: string) => (
    <MomentField
      type={name.endsWith("Day") ? "date" : "time"}
      label={label}
      value={value[name]}
      onInput={(text) => {
        draft.value = { ...draft.value, [name]: text };
      }}
    />
  );
  return (
    <ActionDialog
      title={auditTimeText.title}
      action={action}
      submit={auditTimeText.apply}
      failed={auditText.unreadable}
      disabled={isBad}
      onClose={close}
    >
      <div class="grid-2 keep">
        {field("fromDay", auditTimeText.from)}
        {field("fromTime", auditTimeText.fromTime)}
        {field("untilDay", auditTimeText.until)}
        {field("untilTime", auditTimeText.untilTime)}
      </div>
      <p class={isBad ? "hint hint-bad" : "hint"} role="status">
        {isBad ? auditTimeText.bad : auditTimeText.utc}
      </p>
    </ActionDialog>
  );
}

export function AuditFilters({ model }: AuditFiltersProps) {
  return (
    <>
      <div class="filters catalog-filters">
        <SearchField
          label={auditText.search}
          placeholder={auditText.searchHint}
          value={model.filterOf("target") ?? ""}
          onInput={(target) => model.setFilters({ target: target.trim() })}
        />
        <TimeChip model={model} />
        <MapChip model={model} label={auditText.action} filter="operation" names={auditedOperations} />
        <MapChip model={model} label={auditText.subject} filter="type" names={auditedSubjects} />
        <MapChip model={model} label={auditText.actor} filter="actor" names={model.managers.value} />
      </div>
      {model.open.value === "time" && <TimeDialog model={model} />}
    </>
  );
}
