/** Readers of metrics that others have written: an npm package, and Python's own client library where it is installed. */

import assert from "node:assert/strict";
import parsePrometheus from "parse-prometheus-text-format";
import * as z from "zod";
import { need } from "./need.ts";

const labels = z.record(z.string(), z.string()).default({});

const families = z.array(z.object({
  name: z.string(),
  help: z.string(),
  type: z.enum(["COUNTER", "GAUGE", "HISTOGRAM"]),
  metrics: z.array(z.object({ labels, value: z.coerce.number().optional() })),
}));

/** One sample: of a histogram its count. */
export interface ReadSample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** Counters and gauges of a text in Prometheus' own form: of histograms the package loses labels. */
export function readMetrics(text: string): readonly ReadSample[] {
  return families.parse(parsePrometheus(text)).flatMap(({ name, metrics }) =>
    metrics.flatMap(({ labels, value }) => value === undefined ? [] : [{ name, labels, value }])
  );
}

/** Sum of a series' samples that have these labels. */
export function sumOf(
  samples: readonly ReadSample[],
  { name, ...wanted }: Readonly<Record<string, string>> & { readonly name: string },
): number {
  return samples.filter((sample) =>
    sample.name === name && Object.entries(wanted).every(([label, value]) => sample.labels[label] === value)
  ).reduce((sum, { value }) => sum + value, 0);
}

const script = `
import json, sys
from prometheus_client.parser import text_string_to_metric_families as plain
from prometheus_client.openmetrics.parser import text_string_to_metric_families as open_metrics
read = open_metrics if sys.argv[1] == "openmetrics" else plain
print(json.dumps([
    {"name": s.name, "labels": s.labels, "value": s.value}
    for family in read(sys.stdin.read()) for s in family.samples
    if not s.name.endswith(("_bucket", "_sum"))
]))
`;

const python = (Deno.env.get("PATH") ?? "").split(":").map((folder) => `${folder}/python3`).find(
  (program) => {
    try {
      return new Deno.Command(program, { args: ["-c", "import prometheus_client"], stderr: "null" })
        .outputSync().success;
    } catch {
      // Not there.
      return false;
    }
  },
);

interface Reading {
  readonly text: string;
  readonly format: "prometheus" | "openmetrics";
}

/** Runs a script of Python over metrics; undefined, aloud, where its client library is not installed. */
async function inPython(code: string, { text, format }: Reading): Promise<unknown> {
  const program = python;
  const what = "a python3 on the PATH that has prometheus_client (pip install prometheus_client)";
  if (!need(program !== undefined, { what, for: "The comparison of metrics" })) return undefined;
  assert(program !== undefined);
  const streams = { stdin: "piped", stdout: "piped", stderr: "piped" } as const;
  const child = new Deno.Command(program, { args: ["-c", code, format], ...streams }).spawn();
  const writer = child.stdin.getWriter();
  await writer.write(new TextEncoder().encode(text));
  await writer.close();
  const { success, stdout, stderr } = await child.output();
  assert(success, new TextDecoder().decode(stderr));
  return JSON.parse(new TextDecoder().decode(stdout));
}

/** The same by Python's client library; undefined, aloud, where it is not installed. */
export async function readInPython(
  text: string,
  format: Reading["format"],
): Promise<readonly ReadSample[] | undefined> {
  const samples = z.array(z.object({ name: z.string(), labels, value: z.number() }));
  return samples.optional().parse(await inPython(script, { text, format }));
}

const exemplarScript = `
import json, sys
from prometheus_client.openmetrics.parser import text_string_to_metric_families
print(json.dumps([
    {"name": s.name, "labels": s.labels, "exemplar": s.exemplar.labels,
     "value": s.exemplar.value, "at": float(s.exemplar.timestamp)}
    for family in text_string_to_metric_families(sys.stdin.read()) for s in family.samples if s.exemplar
]))
`;

const exemplars = z.array(
  z.object({ name: z.string(), labels, exemplar: labels, value: z.number(), at: z.number() }),
);

/** Exemplars of a text in OpenMetrics; undefined, aloud, where Python's library is not installed. */
export async function exemplarsInPython(text: string): Promise<z.infer<typeof exemplars> | undefined> {
  return exemplars.optional().parse(await inPython(exemplarScript, { text, format: "openmetrics" }));
}
