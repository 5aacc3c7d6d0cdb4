/** The columns of whole answers. */

import type { RequestsRow } from "./requests.ts";
import { type Buckets, show } from "./table.ts";

export const requestsHead: Buckets = [
  "whole answers",
  "conns",
  "requests/s",
  "× bare",
  "p50 ms",
  "p99 ms",
  "added p50",
  "added p99",
  "CPU µs",
  "CPU × bare",
  "failed",
];

export function requestsBuckets(row: RequestsRow): Buckets {
  return [
    row.name,
    `${row.connections}`,
    show(row.perSecond),
    show(row.ratio),
    show(row.p50),
    show(row.p99),
    show(row.addedP50),
    show(row.addedP99),
    show(row.cpuUs),
    show(row.cpuRatio),
    `${row.failures}`,
  ];
}
