/** The one table that a run prints. */

import type { Aim } from "./aim.ts";
import type { BesideRow } from "./beside.ts";
import type { HealthRow } from "./health.ts";
import type { ContainersReport } from "./containers.ts";
import { containersText } from "./report_containers.ts";
import type { ConsoleReport } from "./console.ts";
import type { FilesReport } from "./files.ts";
import type { FloodResult } from "./flood.ts";
import type { CommitsResult } from "./job.ts";
import type { GuardReport } from "./guard.ts";
import type { KeysRow } from "./keys.ts";
import type { LedgerRow } from "./ledger.ts";
import type { LoopsResult } from "./loops.ts";
import { booksText } from "./report_books.ts";
import { consoleText } from "./report_console.ts";
import { filesText } from "./report_files.ts";
import { guardText } from "./report_guard.ts";
import { soakText } from "./report_soak.ts";
import { tailsText } from "./report_tails.ts";
import type { SoakReport } from "./soak.ts";
import { requestsBuckets, requestsHead } from "./report_requests.ts";
import type { RequestsRow } from "./requests.ts";
import type { Spread } from "./stats.ts";
import type { StreamsRow } from "./streams.ts";
import type { TailsReport } from "./tails.ts";
import { type Buckets, number, render, show } from "./table.ts";

/** A figure of each wire, by its name. */
export type Wires = Readonly<Record<string, Spread>>;

/** Everything a run measured; what was left out is an empty list. */
export interface Report {
  readonly at: string;
  readonly deno: string;
  readonly cores: number;
  readonly quick: boolean;
  readonly requests: readonly RequestsRow[];
  readonly streams: readonly StreamsRow[];
  /** Deltas a second, chat → Responses, on one core. */
  readonly translate: Spread;
  /** The same of every wire → Responses, by its name; the figure above is among them. */
  readonly translateWires?: Wires;
  /** Milliseconds of processor time to read and render a prompt of 100,000 tokens, Responses → each wire. */
  readonly prompt?: Wires;
  readonly beside?: readonly BesideRow[];
  readonly health?: HealthRow;
  /** Microseconds a request of choosing an endpoint, by what the request asks for. */
  readonly routing?: Readonly<Record<string, number>>;
  readonly ledger?: readonly LedgerRow[];
  readonly commits?: CommitsResult;
  readonly keys?: readonly KeysRow[];
  readonly flood?: FloodResult;
  readonly loops?: LoopsResult;
  readonly soak?: SoakReport;
  readonly tails?: TailsReport;
  readonly guard?: GuardReport;
  readonly containers?: readonly ContainersReport[];
  readonly files?: FilesReport;
  readonly console?: ConsoleReport;
  readonly aims: readonly Aim[];
}

const streamsHead: Buckets = [
  "streams",
  "open",
  "every",
  "deltas",
  "lost",
  "late p50 ms",
  "late p99 ms",
  "p99 × passthrough",
  "CPU µs/delta",
  "KiB/stream",
  "failed",
];

/** The passthrough's row of the same scenario. */
function passthroughOf(row: StreamsRow, rows: readonly StreamsRow[]): StreamsRow | undefined {
  return rows.find(({ name, streams, everyMs }) =>
    name === "byte passthrough" && streams === row.streams && everyMs === row.everyMs
  );
}

function streamsBuckets(row: StreamsRow, rows: readonly StreamsRow[]): Buckets {
  const base = passthroughOf(row, rows)?.p99.median ?? NaN;
  return [
    row.name,
    `${row.streams}`,
    `${row.everyMs} ms`,
    number(row.deltas),
    `${row.lost}`,
    show(row.p50),
    show(row.p99),
    number(row.p99.median / base),
    show(row.cpuUs),
    show(row.kibPerStream),
    `${row.failures}`,
  ];
}

const besideHead: Buckets = [
  "beside long prompts",
  "open",
  "every",
  "tokens",
  "prompts/s",
  "gap p99 ms",
  "lost",
  "failed",
];

const besideBuckets = (row: BesideRow): Buckets => [
  row.name,
  `${row.streams}`,
  `${row.everyMs} ms`,
  number(row.tokens),
  show(row.prompts),
  show(row.gapP99),
  `${row.lost}`,
  `${row.failures}`,
];

function healthTable(row: HealthRow | undefined): readonly string[] {
  if (row === undefined) return [];
  const { prompts, tokens, longest, answered, failures } = row;
  return [render([
    ["health beside the longest prompts", "at once", "tokens", "answered", "longest look ms", "failed"],
    ["gateway, chat", `${prompts}`, number(tokens), `${answered}`, show(longest), `${failures}`],
  ])];
}

function loopsTable(loops: LoopsResult | undefined): readonly string[] {
  if (loops === undefined) return [];
  const { steps, loop, singles, ratio, failures } = loops;
  return [render([
    ["server tools", "steps", "loop ms", "single requests ms", "×", "failed"],
    ["gateway, chat", `${steps}`, show(loop), show(singles), show(ratio), `${failures}`],
  ])];
}

/** One line for each wire; nothing when none was measured. */
function wiresTable(wires: Wires, { head, name }: { head: Buckets; name: (wire: string) => string }) {
  const rows = Object.entries(wires).map(([wire, figure]): Buckets => [name(wire), show(figure)]);
  return rows.length === 0 ? [] : [render([head, ...rows])];
}

/** Writes the figures that were measured without a network, part by part. */
function aloneText({ translateWires = {}, prompt = {}, routing = {} }: Report): readonly string[] {
  const routes = Object.entries(routing).map(([kind, us]) => [kind, number(us)]);
  return [
    ...wiresTable(translateWires, {
      head: ["translation alone, one core", "deltas/s"],
      name: (wire) => `${wire} → Responses`,
    }),
    ...wiresTable(prompt, {
      head: ["100,000 tokens read and rendered, one core", "ms"],
      name: (wire) => `Responses → ${wire}`,
    }),
    ...(routes.length > 0 ? [render([["routing, 500 models × 5 endpoints", "CPU µs"], ...routes])] : []),
  ];
}

/** The whole report as text. */
export function reportText(report: Report): string {
  const { requests, streams, beside = [], aims, deno, cores } = report;
  const parts = [
    `Deno ${deno}, ${cores} cores; median (min–max) of the repetitions, each pair measured in turn`,
  ];
  if (requests.length > 0) parts.push(render([requestsHead, ...requests.map(requestsBuckets)]));
  if (streams.length > 0) {
    parts.push(render([streamsHead, ...streams.map((row) => streamsBuckets(row, streams))]));
  }
  if (beside.length > 0) parts.push(render([besideHead, ...beside.map(besideBuckets)]));
  parts.push(
    ...healthTable(report.health),
    ...loopsTable(report.loops),
    ...soakText(report.soak),
    ...tailsText(report.tails),
    ...guardText(report.guard),
    ...containersText(report.containers),
    ...filesText(report.files),
    ...consoleText(report.console),
    ...booksText(report),
    ...aloneText(report),
  );
  const rows = aims.map((
    { what, aim, measured, met },
  ) => [what, aim, number(measured), met ? "met" : "missed"]);
  if (rows.length > 0) parts.push(render([["aim", "", "measured", ""], ...rows]));
  return parts.join("\n\n");
}
