/** Endpoints of an explained route: those that are asked in their order, then those that a filter took out. */

import { Empty } from "../../components/page.tsx";
import { Status } from "../../components/status.tsx";
import { type Column, Table } from "../../components/table.tsx";
import { formatLimit, formatMs, formatPercent } from "../../format.ts";
import type { RouteEndpoint } from "../../models/catalog/route_form.ts";
import { routeText } from "../../text/route.ts";

const { columns } = routeText;

function Why({ position, excluded_by, detail }: RouteEndpoint) {
  if (position === 1) return <Status tone="good" text={routeText.first} />;
  if (position !== null) return <Status tone="good" text={routeText.standsIn} />;
  const filter = (excluded_by ?? "").replaceAll("_", " ").replaceAll(":", ": ");
  return <Status tone="off" text={routeText.leftOut(filter, detail)} />;
}

const routeColumns: readonly Column<RouteEndpoint>[] = [
  {
    id: "place",
    head: columns.place,
    className: "faint",
    cell: ({ position }) => position ?? "–",
  },
  {
    id: "endpoint",
    head: columns.endpoint,
    className: "name",
    cell: ({ provider, model }) => (
      <>
        <span class="block cut">
          <bdi>{provider}</bdi>
        </span>
        <span class="sub block cut">
          <bdi>{model}</bdi>
        </span>
      </>
    ),
  },
  {
    id: "first",
    head: columns.first,
    numeric: true,
    shown: "small-off",
    cell: ({ probability }) => probability > 0 ? formatPercent(probability) : "–",
  },
  {
    id: "price",
    head: columns.price,
    numeric: true,
    shown: "mid-only",
    cell: ({ price }) =>
      price === null ? "–" : `${formatLimit(price.prompt)} / ${formatLimit(price.completion)}`,
  },
  {
    id: "p50",
    head: columns.p50,
    numeric: true,
    shown: "mid-only",
    cell: ({ latency }) => latency === null ? "–" : formatMs(latency),
  },
  { id: "why", head: columns.why, main: true, cell: (endpoint) => <Why {...endpoint} /> },
];

export function RouteTable({ endpoints }: { readonly endpoints: readonly RouteEndpoint[] }) {
  return (
    <Table
      caption={routeText.caption}
      columns={routeColumns}
      rows={endpoints}
      keyOf={(endpoint) => String(endpoints.indexOf(endpoint))}
      empty={<Empty icon="search" title={routeText.none} text={routeText.noneText} />}
    />
  );
}
