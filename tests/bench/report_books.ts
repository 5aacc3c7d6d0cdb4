/** Tables of what keys, limits and receipts cost. */

import type { FloodResult } from "./flood.ts";
import type { CommitsResult } from "./job.ts";
import type { KeysRow } from "./keys.ts";
import type { LedgerRow } from "./ledger.ts";
import type { Report } from "./report.ts";
import { requestsBuckets, requestsHead } from "./report_requests.ts";
import { type Buckets, number, render, show } from "./table.ts";

const renamed = ([, ...rest]: Buckets): Buckets => ["limits and receipts", ...rest];

const ledgerHead: Buckets = [...renamed(requestsHead), "× without", "CPU × without"];

const ledgerBuckets = (row: LedgerRow): Buckets => [
  ...requestsBuckets(row),
  show(row.againstNone),
  show(row.cpuAgainstNone),
];

const figures = ["p50 ms", "p99 ms", "CPU µs/receipt", "receipts/s"];

function commitsText({ forms, moments }: CommitsResult): readonly string[] {
  const buckets = ({ p50, p99, cpuUs, perSecond }: typeof forms[number] | typeof moments[number]) =>
    [p50, p99, cpuUs, perSecond].map(number);
  return [
    render([
      ["commits, embedded store", "group", ...figures],
      ...forms.map((row) => [row.name, `${row.group}`, ...buckets(row)]),
    ]),
    render([
      ["groups are committed", "clients", ...figures],
      ...moments.map((row) => [row.name, `${row.clients}`, ...buckets(row)]),
    ]),
  ];
}

const count = (value: number) => value.toLocaleString("en");

const keysHead: Buckets = [
  "keys",
  "stored",
  "in use",
  "filled in s",
  "start ms",
  "requests/s",
  "× few keys",
  "CPU × few keys",
  "failed",
];

const keysBuckets = (row: KeysRow): Buckets => [
  row.name,
  count(row.stored),
  count(row.used),
  number(row.fillSeconds),
  show(row.startMs),
  show(row.perSecond),
  show(row.ratio),
  show(row.cpuRatio),
  `${row.failures}`,
];

function floodText(flood: FloodResult): readonly string[] {
  const { connections, good, bad, ratio, cpuRatio, streams, everyMs, gapAlone, gapBeside, gapRatio, beside } =
    flood;
  return [
    render([
      ["bad keys", "conns", "good/s", "bad/s", "bad × good", "CPU bad × good"],
      ["in turn", `${connections}`, show(good), show(bad), show(ratio), show(cpuRatio)],
    ]),
    render([
      ["bad keys", "open", "every", "bad/s", "gap p99 ms alone", "beside", "× alone", "lost", "failed"],
      [
        "beside streams",
        `${streams}`,
        `${everyMs} ms`,
        show(beside),
        show(gapAlone),
        show(gapBeside),
        show(gapRatio),
        `${flood.lost}`,
        `${flood.failures}`,
      ],
    ]),
  ];
}

export function booksText({ ledger = [], commits, keys = [], flood }: Report): readonly string[] {
  return [
    ...(ledger.length > 0 ? [render([ledgerHead, ...ledger.map(ledgerBuckets)])] : []),
    ...(commits === undefined ? [] : commitsText(commits)),
    ...(keys.length > 0 ? [render([keysHead, ...keys.map(keysBuckets)])] : []),
    ...(flood === undefined ? [] : floodText(flood)),
  ];
}
