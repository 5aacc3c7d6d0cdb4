/** Guardrails: what keys may spend, call and send. Each opens in a panel. */

import { computed } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import type { GuardrailRecord } from "../../shared/guardrails.ts";
import { app, whenConnected } from "../app.ts";
import { Icon } from "../components/icon.tsx";
import { Empty, FailureBox, Page } from "../components/page.tsx";
import { SearchField } from "../components/forms/search_field.tsx";
import { type Column, Table } from "../components/table.tsx";
import { formatCount } from "../format.ts";
import { summaryOf } from "../models/guardrails/guardrail_summary.ts";
import { GuardrailsModel, type HolderCounts } from "../models/guardrails/guardrails.ts";
import { commonText } from "../text/common.ts";
import { guardrailsText } from "../text/guardrails.ts";
import { chosenWorkspace, workspaceName, workspaces } from "../workspaces.ts";
import { DeleteGuardrail } from "./guardrails/delete_guardrail.tsx";
import { GuardrailPanel } from "./guardrails/guardrail_panel.tsx";
import { NewGuardrail } from "./guardrails/new_guardrail.tsx";

function useModel(): GuardrailsModel {
  const model = useMemo(() =>
    new GuardrailsModel({
      api: app.api,
      router: app.router,
      workspaces: workspaces.data,
      workspaceId: computed(() => chosenWorkspace.value?.id),
    }), []);
  useEffect(() => whenConnected(() => void model.load()), [model]);
  useEffect(() => () => model.stop(), [model]);
  return model;
}

const workspaceOf = ({ workspace_id: id }: GuardrailRecord) =>
  id === null ? guardrailsText.allWorkspaces : workspaceName(id);

/** How many have it; a dash until they are counted. */
function countText(counts: HolderCounts | undefined, id: string): string {
  if (counts === undefined) return "–";
  const count = counts.of.get(id) ?? 0;
  return counts.isComplete ? formatCount(count) : guardrailsText.orMore(count);
}

function nameColumn(model: GuardrailsModel): Column<GuardrailRecord> {
  return {
    id: "name",
    head: guardrailsText.columns.name,
    main: true,
    cell: (guardrail) => (
      <>
        <span class="row">
          <button type="button" class="row-link cut" onClick={() => model.openPanel(guardrail.id)}>
            {guardrail.name}
          </button>
          {model.isDefault(guardrail) && <span class="badge">{guardrailsText.isDefault}</span>}
        </span>
        <span class="sub" title={summaryOf(guardrail)}>
          <span class="no-column">{`${workspaceOf(guardrail)} · `}</span>
          {summaryOf(guardrail)}
        </span>
      </>
    ),
  };
}

function holderColumns(model: GuardrailsModel): readonly Column<GuardrailRecord>[] {
  const { columns } = guardrailsText;
  return [
    {
      id: "workspace",
      head: columns.workspace,
      shown: "mid-only",
      className: "soft",
      cell: workspaceOf,
    },
    {
      id: "keys",
      head: columns.keys,
      numeric: true,
      cell: (guardrail) =>
        model.isDefault(guardrail)
          ? <span title={guardrailsText.allKeysTitle}>{guardrailsText.allKeys}</span>
          : countText(model.keyCounts.data.value, guardrail.id),
    },
    {
      id: "members",
      head: columns.members,
      numeric: true,
      shown: "small-off",
      cell: ({ id }) => countText(model.memberCounts.data.value, id),
    },
  ];
}

function deleteColumn(model: GuardrailsModel): Column<GuardrailRecord> {
  return {
    id: "delete",
    head: commonText.actions,
    headUnseen: true,
    numeric: true,
    cell: (guardrail) =>
      !model.isDefault(guardrail) && (
        <button
          type="button"
          class="button button-icon button-plain"
          aria-label={guardrailsText.delete(guardrail.name)}
          title={guardrailsText.delete(guardrail.name)}
          onClick={() => model.openDelete(guardrail.id)}
        >
          <Icon name="trash" />
        </button>
      ),
  };
}

function NoGuardrails({ model }: { readonly model: GuardrailsModel }) {
  const q = model.q.value;
  if (q === "") return <Empty icon="shield" title={guardrailsText.none} text={guardrailsText.noneText} />;
  return (
    <Empty icon="search" title={guardrailsText.notFound} text={guardrailsText.notFoundText(q)}>
      <button type="button" class="button" onClick={() => model.search("")}>{guardrailsText.showAll}</button>
    </Empty>
  );
}

function GuardrailTable({ model }: { readonly model: GuardrailsModel }) {
  const columns = [nameColumn(model), ...holderColumns(model)];
  const [rows, all] = [model.rows.value, model.list.data.value];
  return (
    <Table
      caption={guardrailsText.caption}
      columns={app.session.canChange.value ? [...columns, deleteColumn(model)] : columns}
      rows={rows}
      keyOf={({ id }) => id}
      current={model.open.value}
      empty={<NoGuardrails model={model} />}
      foot={<span>{guardrailsText.count(rows?.length ?? 0, all?.length ?? 0)}</span>}
    />
  );
}

function Panels({ model }: { readonly model: GuardrailsModel }) {
  const { opened: { value: opened }, deleted: { value: deleted } } = model;
  const canChange = app.session.canChange.value;
  return (
    <>
      {opened !== undefined && <GuardrailPanel key={opened.id} guardrail={opened} list={model} />}
      {model.open.value === "new" && canChange && <NewGuardrail key="new" list={model} />}
      {deleted !== undefined && canChange && !model.isDefault(deleted) && (
        <DeleteGuardrail key={`delete-${deleted.id}`} guardrail={deleted} list={model} />
      )}
    </>
  );
}

export function page() {
  const model = useModel();
  const failure = model.list.failure.value;
  return (
    <>
      <Page
        title={guardrailsText.title}
        actions={app.session.canChange.value && (
          <button
            type="button"
            class="button button-primary"
            onClick={() => model.openPanel("new")}
          >
            <Icon name="plus" />
            {guardrailsText.newGuardrail}
          </button>
        )}
      >
        <div class="filters">
          <SearchField
            label={guardrailsText.search}
            placeholder={guardrailsText.searchHint}
            value={model.q.value}
            onInput={(q) => model.search(q)}
          />
          {model.q.value === "" && model.idleCount.value > 0 && (
            <button
              type="button"
              class={`chip${model.withIdle.value ? " chip-on" : ""}`}
              aria-pressed={model.withIdle.value}
              onClick={() => model.showIdle(!model.withIdle.value)}
            >
              {guardrailsText.idle(model.idleCount.value)}
            </button>
          )}
        </div>
        {failure === undefined ? <GuardrailTable model={model} /> : (
          <FailureBox
            title={guardrailsText.unreadable}
            failure={failure}
            onRetry={() => void model.load()}
          />
        )}
      </Page>
      <Panels model={model} />
    </>
  );
}
