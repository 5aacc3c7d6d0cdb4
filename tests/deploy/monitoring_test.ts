/** The dashboard and the alert rules of deploy/ ask for nothing that GET /metrics does not have. */

import assert from "node:assert/strict";
import { parse } from "yaml";
import * as z from "zod";
import { seriesTable } from "../../server/metrics/series.ts";
import type { Series } from "../../server/metrics/series_row.ts";

const read = (path: string) => Deno.readTextFileSync(new URL(`../../deploy/${path}`, import.meta.url));

const rulesSchema = z.object({
  groups: z.array(z.object({ rules: z.array(z.object({ alert: z.string(), expr: z.string() })) })),
});

const dashboardSchema = z.object({
  uid: z.null(),
  schemaVersion: z.number().min(41),
  panels: z.array(z.object({
    title: z.string(),
    datasource: z.object({ uid: z.literal("${datasource}") }).optional(),
    targets: z.array(z.object({ expr: z.string() })).default([]),
  })),
});

/** Labels that Prometheus itself adds, and the bound of a bucket. */
const added = new Set(["instance", "job", "le"]);

/** Names under which a series is served. */
function namesOf({ name, type }: Series): readonly string[] {
  if (type === "counter") return [`${name}_total`];
  return type === "gauge" ? [name] : [`${name}_bucket`, `${name}_sum`, `${name}_count`];
}

const served = new Map(
  [...seriesTable("v1.41").values()].flatMap((series) =>
    namesOf(series).map((name) => [name, series] as const)
  ),
);

/** Says what is wrong with a query. */
function faultsOf(expr: string): readonly string[] {
  const names = expr.match(/\b(?:tollgate|gen_ai|process)_\w+/g) ?? [];
  const asked = names.filter((name) =>
    !name.startsWith("gen_ai_request_") && !name.startsWith("gen_ai_provider_")
  );
  const labels = [...expr.matchAll(/\bby \(([^)]*)\)|\{([^}]*)\}/g)].flatMap(([, by = "", within = ""]) =>
    [...by.split(","), ...within.split(",").map((pair) => pair.split(/[=!]/)[0] ?? "")].map((label) =>
      label.trim()
    )
  ).filter((label) => label !== "");
  const known = new Set(asked.flatMap((name) => Object.keys(served.get(name)?.labels ?? {})));
  return [
    ...asked.filter((name) => !served.has(name)).map((name) => `${name} is not served`),
    ...labels.filter((label) => !known.has(label) && !added.has(label)).map((label) =>
      `${label} is no label`
    ),
    ...(asked.length === 0 ? ["it asks for nothing"] : []),
  ];
}

const rules = rulesSchema.parse(parse(read("prometheus/alerts.yaml"))).groups.flatMap((group) => group.rules);
const dashboard = dashboardSchema.parse(JSON.parse(read("grafana/tollgate.json")));

Deno.test("alert rules ask for series that are served", () => {
  assert.equal(rules.length, 6);
  for (const { alert, expr } of rules) assert.deepEqual(faultsOf(expr), [], alert);
});

Deno.test("the dashboard asks for series that are served, of a data source that is chosen", () => {
  const queries = dashboard.panels.flatMap(({ title, targets }) =>
    targets.map(({ expr }) => ({ title, expr }))
  );
  assert(queries.length > 20);
  for (const { title, expr } of queries) assert.deepEqual(faultsOf(expr), [], title);
  assert(
    dashboard.panels.every(({ targets, datasource }) => targets.length === 0 || datasource !== undefined),
  );
});

Deno.test("a query for a series or label that is not served is found", () => {
  assert.deepEqual(faultsOf("rate(tollgate_cost_usd[5m])"), ["tollgate_cost_usd is not served"]);
  assert.deepEqual(faultsOf("sum by (key) (tollgate_cost_usd_total)"), ["key is no label"]);
});
