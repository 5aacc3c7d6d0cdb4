/** Lists of the top spenders, and of the standing of endpoints. */

import type { KeyRecord } from "../../../shared/keys.ts";
import { app } from "../../app.ts";
import { requestsAddress, RequestsLink } from "../../components/requests_link.tsx";
import { Section } from "../../components/page.tsx";
import { Status } from "../../components/status.tsx";
import { type Column, Table } from "../../components/table.tsx";
import { formatCount, formatMs, formatPercent, formatSpan, formatUsd } from "../../format.ts";
import type { OverviewModel } from "../../models/overview.ts";
import { NO_NAME } from "../../models/overview/receipt_groups.ts";
import { periodStarts } from "../../models/workspace_spend.ts";
import { endpointsOf, type GatewayStatus, status } from "../../status.ts";
import { overviewText } from "../../text/overview.ts";
import { workspaceName } from "../../workspaces.ts";
import { groupName } from "./spend_by_dimension.tsx";

type EndpointRow = GatewayStatus["endpoints"][number];

const keyColumns: readonly Column<KeyRecord>[] = [
  {
    id: "key",
    head: overviewText.key,
    main: true,
    cell: ({ hash, name }) => <a class="row-link" href={app.router.link("/keys", { key: hash })}>{name}</a>,
  },
  {
    id: "workspace",
    head: overviewText.workspace,
    shown: "small-off",
    className: "soft",
    cell: ({ workspace_id }) => workspaceName(workspace_id),
  },
  {
    id: "cost",
    head: overviewText.cost,
    numeric: true,
    cell: ({ hash, usage_monthly }) => (
      <RequestsLink of={{ key: hash, since: periodStarts(app.minute.value).month }}>
        {formatUsd(usage_monthly)}
      </RequestsLink>
    ),
  },
];

function TopKeys({ model }: { readonly model: OverviewModel }) {
  return (
    <Section
      title={overviewText.topKeys}
      note={overviewText.thisMonth}
      action={<a href={app.router.link("/keys")}>{overviewText.allKeys}</a>}
    >
      <Table
        caption={overviewText.topKeys}
        columns={keyColumns}
        rows={model.topKeys.data.value}
        keyOf={({ hash }) => hash}
        skeletonRows={6}
        empty={<p class="soft empty">{overviewText.noKeys}</p>}
      />
    </Section>
  );
}

/** Filters of the requests by dimension. */
const filterOf = {
  model: "model",
  provider: "provider",
  api_key_id: "key",
  workspace: "workspace",
  user: "user",
  session_id: "session",
  app_title: "q",
  preset: "preset",
} as const;

type Group = ReturnType<OverviewModel["top"]["peek"]>[number];

function TopGroups({ model }: { readonly model: OverviewModel }) {
  const by = model.by.value;
  const title = overviewText.top(overviewText.dimensions[by]);
  const columns: readonly Column<Group>[] = [
    {
      id: "name",
      head: overviewText.name,
      main: true,
      cell: ({ name }) => (
        <a
          class="row-link"
          href={requestsAddress(name === NO_NAME ? {} : { [filterOf[by]]: name })}
          title={name}
        >
          {groupName(model, { by, value: name })}
        </a>
      ),
    },
    {
      id: "share",
      head: overviewText.share,
      numeric: true,
      shown: "small-off",
      cell: ({ share }) => formatPercent(share),
    },
    { id: "cost", head: overviewText.cost, numeric: true, cell: ({ usd }) => formatUsd(usd) },
  ];
  return (
    <Section title={title} note={model.spend.data.value?.period.span}>
      <Table
        caption={title}
        columns={columns}
        rows={model.spend.data.value === undefined ? undefined : model.top.value}
        keyOf={({ name }) => name}
        skeletonRows={6}
        empty={<p class="soft empty">{overviewText.nothingSpent}</p>}
      />
    </Section>
  );
}

function Standing({ endpoint, now }: { readonly endpoint: EndpointRow; readonly now: string }) {
  const { standing, is_byok: isByok, rests_until, reason, single_use_until } = endpoint;
  if (standing === "well" && single_use_until !== null) {
    return (
      <span title={overviewText.singleUseReason}>
        <Status tone="warn" text={overviewText.singleUse} />
      </span>
    );
  }
  if (standing === "probe") {
    return (
      <span title={reason ?? ""}>
        <Status tone="off" icon="clock" text={overviewText.probe} />
      </span>
    );
  }
  if (standing === "well") return <Status tone="good" text={overviewText.well} />;
  if (standing === "misconfigured") {
    const text = isByok ? overviewText.ownKeyRefused : overviewText.keyRefused;
    return (
      <span title={reason ?? ""}>
        <Status tone="bad" text={text} />
      </span>
    );
  }
  const span = formatSpan(Date.parse(rests_until ?? now) - Date.parse(now));
  return (
    <span title={reason ?? ""}>
      <Status tone="warn" icon="clock" text={overviewText.cooling(span)} />
    </span>
  );
}

const SHOWN_ENDPOINTS = 10;
const LATELY_MS = 300_000;

function Endpoints() {
  const read = status.data.value;
  const more = read === undefined ? 0 : endpointsOf(read.endpoint_counts) - SHOWN_ENDPOINTS;
  const columns: readonly Column<EndpointRow>[] = [
    {
      id: "endpoint",
      head: overviewText.endpoint,
      main: true,
      cell: ({ provider_name, model }) => (
        <>
          <a class="row-link" href={requestsAddress({ model, provider: provider_name })}>{provider_name}</a>
          <span class="sub">{model}</span>
        </>
      ),
    },
    {
      id: "standing",
      head: overviewText.standing,
      className: "state",
      cell: (endpoint) => <Standing endpoint={endpoint} now={read?.now ?? ""} />,
    },
    {
      id: "p50",
      head: overviewText.p50,
      numeric: true,
      shown: "small-off",
      cell: ({ p50_ms }) => p50_ms === null ? "–" : formatMs(p50_ms),
    },
    {
      id: "failed",
      head: overviewText.failed5m,
      numeric: true,
      shown: "small-off",
      cell: ({ model, provider_name: provider, failures_5m }) => (
        <RequestsLink
          of={{ model, provider, status: "failed", since: Date.parse(read?.now ?? "") - LATELY_MS }}
        >
          {formatCount(failures_5m)}
        </RequestsLink>
      ),
    },
  ];
  return (
    <Section title={overviewText.endpoints} note={overviewText.now}>
      <Table
        caption={overviewText.endpoints}
        columns={columns}
        rows={read?.endpoints.slice(0, SHOWN_ENDPOINTS)}
        foot={more > 0 ? <span>{overviewText.more(more)}</span> : undefined}
        keyOf={({ endpoint_id }) => endpoint_id}
        skeletonRows={6}
        empty={<p class="soft empty">{overviewText.noEndpoints}</p>}
      />
    </Section>
  );
}

export function Lists({ model }: { readonly model: OverviewModel }) {
  return (
    <div class="grid-2">
      <TopGroups model={model} />
      <TopKeys model={model} />
      <Endpoints />
    </div>
  );
}
