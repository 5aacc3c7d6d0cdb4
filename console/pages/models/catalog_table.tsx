/** The list of models. */

import type { ManagedModel } from "../../../shared/management/gateway/models.ts";
import { app } from "../../app.ts";
import { Empty } from "../../components/page.tsx";
import { RequestsLink } from "../../components/requests_link.tsx";
import { Status } from "../../components/status.tsx";
import { type Column, Paging, Table } from "../../components/table.tsx";
import { formatCount, formatLimit, formatMs, formatPercent, shortModel } from "../../format.ts";
import { type CatalogModel, MOST_COMPARED } from "../../models/catalog/catalog.ts";
import { catalogSorts } from "../../models/catalog/catalog_filters.ts";
import { modelSums, tokenPrice } from "../../models/catalog/model_figures.ts";
import { compareText, modelsText } from "../../text/models.ts";

const { columns } = modelsText;

/** USD a million tokens; nothing is known of a price that nobody states. */
export function priceText(
  model: Pick<ManagedModel, "pricing" | "unpriced">,
  rate: "prompt" | "completion",
): string {
  const usd = model.unpriced ? undefined : tokenPrice(model, rate);
  return usd === undefined ? "–" : formatLimit(usd);
}

export function EndpointCount({ model }: { readonly model: ManagedModel }) {
  const { allowed, ready } = modelSums(model);
  if (allowed === 0) return <Status tone="off" text={modelsText.shutOut} />;
  const text = modelsText.ready(ready, allowed);
  if (ready === 0) return <Status tone="bad" text={text} />;
  return ready < allowed
    ? <Status tone="warn" icon="clock" text={text} />
    : <Status tone="good" text={text} />;
}

const DAY_MS = 86_400_000;

/** Requests of all workspaces, as the sums have them. */
export function ModelRequests({ model }: { readonly model: ManagedModel }) {
  const { requests } = modelSums(model);
  const of = { model: model.id, since: app.minute.value - DAY_MS, workspace: "" };
  return requests === 0 ? <>0</> : <RequestsLink of={of}>{formatCount(requests)}</RequestsLink>;
}

function nameColumns(model: CatalogModel): readonly Column<ManagedModel>[] {
  return [
    {
      id: "model",
      head: columns.model,
      main: true,
      sort: "name",
      cell: ({ id }) => (
        <>
          <button type="button" class="row-link" onClick={() => model.openModel(id)}>
            <bdi>{shortModel(id)}</bdi>
          </button>
          <span class="sub">
            <bdi>{id.includes("/") ? id.slice(0, id.indexOf("/")) : ""}</bdi>
          </span>
        </>
      ),
    },
    {
      id: "context",
      head: columns.context,
      numeric: true,
      shown: "wide-only",
      className: "soft",
      sort: "context",
      cell: ({ context_length }) => context_length === null ? "–" : formatCount(context_length),
    },
  ];
}

const figure = { numeric: true, shown: "mid-only" } as const;

function Input({ model }: { readonly model: ManagedModel }) {
  if (model.unpriced) return <span class="badge badge-warn">{modelsText.unpriced}</span>;
  return (
    <>
      <span>{priceText(model, "prompt")}</span>
      <span class="sub at-narrow cut">{modelsText.out(priceText(model, "completion"))}</span>
    </>
  );
}

const priceColumns: readonly Column<ManagedModel>[] = [
  {
    id: "input",
    head: columns.input,
    numeric: true,
    sort: "input",
    cell: (model) => <Input model={model} />,
  },
  {
    id: "output",
    head: columns.output,
    numeric: true,
    shown: "small-off",
    sort: "output",
    cell: (model) => priceText(model, "completion"),
  },
];

const figureColumns: readonly Column<ManagedModel>[] = [
  { id: "endpoints", head: columns.endpoints, cell: (model) => <EndpointCount model={model} /> },
  {
    ...figure,
    id: "p50",
    head: columns.p50,
    cell: (model) => {
      const { p50Ms } = modelSums(model);
      return p50Ms === undefined ? "–" : formatMs(p50Ms);
    },
  },
  {
    ...figure,
    id: "speed",
    head: columns.speed,
    shown: "wide-only",
    cell: (model) => {
      const { tokensPerSecond } = modelSums(model);
      return tokensPerSecond === undefined ? "–" : formatCount(Math.round(tokensPerSecond));
    },
  },
  {
    ...figure,
    id: "uptime",
    head: columns.uptime,
    cell: (model) => {
      const { uptime } = modelSums(model);
      return uptime === undefined ? "–" : formatPercent(uptime);
    },
  },
  {
    ...figure,
    id: "requests",
    head: columns.requests,
    sort: "requests",
    shown: "wide-only",
    cell: (model) => <ModelRequests model={model} />,
  },
];

export function NoModels({ model }: { readonly model: CatalogModel }) {
  if (model.isWhole.value) {
    return <Empty icon="model" title={modelsText.none} text={modelsText.noneText} />;
  }
  return (
    <Empty icon="search" title={modelsText.notFound} text={modelsText.notFoundText}>
      <button type="button" class="button" onClick={() => model.removeFilters()}>
        {modelsText.removeAll}
      </button>
    </Empty>
  );
}

function Foot({ model }: { readonly model: CatalogModel }) {
  const [offset, all, rows] = [model.offset.value, model.found.value?.length ?? 0, model.rows.value];
  return (
    <Paging
      text={modelsText.count({ first: offset + 1, last: offset + (rows?.length ?? 0), all })}
      onPrevious={model.pageAt(-1)}
      onNext={model.pageAt(1)}
    />
  );
}

export function CatalogTable({ model, workspace }: {
  readonly model: CatalogModel;
  /** Name of the workspace whose keys may use them so. */
  readonly workspace: string;
}) {
  const by = model.sort.value;
  const isUpwards = by === "name" || by === "input" || by === "output";
  return (
    <Table
      caption={modelsText.caption(workspace)}
      columns={[...nameColumns(model), ...priceColumns, ...figureColumns]}
      rows={model.rows.value}
      keyOf={({ id }) => id}
      current={model.open.value}
      sort={{
        by,
        direction: isUpwards ? "ascending" : "descending",
        onSort: (chosen) => model.sortBy(catalogSorts.find((sort) => sort === chosen) ?? "requests"),
      }}
      selection={{
        selected: model.compared.value,
        nameOf: ({ id }) => id,
        onChange: (chosen) => {
          if (!model.compare(chosen)) app.toasts.show(compareText.most(MOST_COMPARED), { tone: "bad" });
        },
      }}
      empty={<NoModels model={model} />}
      foot={<Foot model={model} />}
    />
  );
}
