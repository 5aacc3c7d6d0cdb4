/** Aims for the figures, and whether this run's reach them. A missed aim is told, never a failure: machines differ. */

import { type Aim, atLeast, atMost } from "./aim.ts";
import { booksAims } from "./aims_books.ts";
import { consoleAims } from "./aims_console.ts";
import { soakAims } from "./report_soak.ts";
import { tailsAims } from "./report_tails.ts";
import { guardAims } from "./report_guard.ts";
import { containersAims } from "./report_containers.ts";
import { filesAims } from "./aims_files.ts";
import type { BesideRow } from "./beside.ts";
import type { HealthRow } from "./health.ts";
import type { Report, Wires } from "./report.ts";
import type { RequestsRow } from "./requests.ts";
import type { StreamsRow } from "./streams.ts";

function requestsAims(rows: readonly RequestsRow[]): Aim[] {
  const gateway = rows.filter(({ name }) => name.startsWith("gateway"));
  return gateway.flatMap(({ name, connections, ratio, addedP50, addedP99 }) =>
    connections === 1
      ? [
        atMost(0.4, { what: `${name}: added p50 at 1 connection, ms`, measured: addedP50.median }),
        atMost(2, { what: `${name}: added p99 at 1 connection, ms`, measured: addedP99.median }),
      ]
      : [
        atLeast(0.5, {
          what: `${name}: requests/s at ${connections} connections, × bare`,
          measured: ratio.median,
        }),
      ]
  );
}

/** The aims of a scenario: many slow streams, or fewer fast ones. */
function streamsAims(gateway: StreamsRow, passthrough: StreamsRow | undefined): Aim[] {
  const { streams, everyMs, lost, p99, cpuUs, kibPerStream } = gateway;
  const what = (figure: string) => `${streams} streams, ${everyMs} ms: ${figure}`;
  const whole = atMost(0, { what: what("lost frames"), measured: lost });
  const own = kibPerStream.median;
  if (everyMs >= 100) {
    const beyond = own - (passthrough?.kibPerStream.median ?? NaN);
    return [
      whole,
      atMost(10, { what: what("late p99, ms"), measured: p99.median }),
      atMost(160, { what: what("KiB a stream"), measured: own }),
      atMost(120, { what: what("KiB a stream beyond the passthrough's"), measured: beyond }),
    ];
  }
  const ratio = p99.median / (passthrough?.p99.median ?? NaN);
  return [
    whole,
    atMost(2, { what: what("late p99, × passthrough"), measured: ratio }),
    atMost(45, { what: what("CPU µs a delta"), measured: cpuUs.median }),
  ];
}

const besideAims = ({ name, streams, lost, gapP99 }: BesideRow): Aim[] => [
  atMost(0, { what: `${streams} ${name}: lost frames`, measured: lost }),
  atMost(50, { what: `${streams} ${name}: gap p99, ms`, measured: gapP99.median }),
];

const healthAims = (row: HealthRow | undefined): Aim[] =>
  row === undefined ? [] : [
    atMost(250, {
      what: `/healthz beside ${row.prompts} prompts of 26 MiB, ms`,
      measured: row.longest.median,
    }),
  ];

const ofWires = (wires: Wires, aim: (wire: string, measured: number) => Aim) =>
  Object.entries(wires).map(([wire, { median }]) => aim(wire, median));

/** Every aim that the run has a figure for. */
export function aimsOf(
  report: Omit<Report, "aims">,
): readonly Aim[] {
  const { requests, streams, translateWires = {}, prompt = {}, beside = [], routing = {} } = report;
  const translated = streams.filter(({ name }) => name.startsWith("gateway"));
  const passthroughOf = (row: StreamsRow) =>
    streams.find(({ name, streams, everyMs }) =>
      name === "byte passthrough" && streams === row.streams && everyMs === row.everyMs
    );
  const all = [
    ...requestsAims(requests),
    ...translated.flatMap((row) => streamsAims(row, passthroughOf(row))),
    ...beside.filter(({ tokens }) => tokens > 0).flatMap(besideAims),
    ...healthAims(report.health),
    ...ofWires(
      translateWires,
      (wire, measured) => atLeast(100_000, { what: `${wire}: translated deltas/s on one core`, measured }),
    ),
    ...ofWires(
      prompt,
      (wire, measured) => atMost(10, { what: `${wire}: 100,000 tokens read and rendered, ms`, measured }),
    ),
    atMost(1.6, {
      what: "a loop of server tools, × its turns as single requests",
      measured: report.loops?.ratio.median ?? NaN,
    }),
    atMost(50, { what: "routing a request of every preference, µs", measured: routing.everything }),
    atMost(2, { what: "live figures of a request, µs", measured: routing["live figures"] }),
    ...soakAims(report.soak),
    ...tailsAims(report.tails),
    ...guardAims(report.guard),
    ...containersAims(report.containers),
    ...filesAims(report.files),
    ...consoleAims(report.console),
    ...booksAims(report),
  ];
  return all.filter(({ measured }) => !Number.isNaN(measured));
}
