/** Traces as a collector gets them from Deno's exporter: one tree for a loop with tools and a fallback, without content. */

import assert from "node:assert/strict";
import * as z from "zod";
import { ask } from "../support/call.ts";
import type { Json } from "../support/event_stream.ts";
import { until } from "../support/until.ts";

const attribute = z.object({ key: z.string(), value: z.record(z.string(), z.unknown()) });
const spanSchema = z.object({
  traceId: z.string(),
  spanId: z.string(),
  parentSpanId: z.string().default(""),
  name: z.string(),
  kind: z.number(),
  startTimeUnixNano: z.coerce.bigint(),
  endTimeUnixNano: z.coerce.bigint(),
  attributes: z.array(attribute).default([]),
  status: z.object({ code: z.number().default(0) }).default({ code: 0 }),
});
const exportSchema = z.object({
  resourceSpans: z.array(z.object({
    scopeSpans: z.array(z.object({
      scope: z.object({ name: z.string().default("") }).default({ name: "" }),
      spans: z.array(spanSchema),
    })),
  })),
});
type ReadSpan = z.infer<typeof spanSchema>;

const [TRACE, PARENT] = ["0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"];

interface Collected {
  readonly spans: readonly ReadSpan[];
  /** All that was exported, as text. */
  readonly text: string;
  readonly generation: string | null;
  /** Header of each call of the upstream. */
  readonly sent: readonly (string | null)[];
  /** In OpenMetrics, once the request is counted. */
  readonly metrics: string;
}

/** Has a gateway answer a request with an exporter that points at a receiver on the loopback. */
async function collect(body: Json): Promise<Collected> {
  const bodies: string[] = [];
  const receiver = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, async (request) => {
    const text = await request.text();
    if (new URL(request.url).pathname === "/v1/traces") bodies.push(text);
    return Response.json({});
  });
  const gateway = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--config", "tests/deno.json", "tests/tracing/traced_gateway.ts"],
    cwd: new URL("../../", import.meta.url).pathname,
    stdin: "piped",
    stdout: "piped",
    env: {
      OTEL_DENO: "true",
      OTEL_DENO_CONSOLE: "ignore",
      OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${receiver.addr.port}`,
    },
  }).spawn();
  const lines = linesOf(gateway.stdout);
  const { url, apiKey, managementKey } = startedSchema.parse(JSON.parse(await lines.next()));
  const response = await ask({ url, apiKey }, body, { headers: { traceparent: `00-${TRACE}-${PARENT}-01` } });
  assert.equal(response.status, 200, await response.text());
  const metrics = await scrape(url, managementKey);
  await gateway.stdin.close();
  const sent = z.array(z.string().nullable()).parse(JSON.parse(await lines.next()));
  assert((await gateway.status).success);
  await receiver.shutdown();
  const spans = bodies.flatMap((text) =>
    exportSchema.parse(JSON.parse(text)).resourceSpans.flatMap(({ scopeSpans }) =>
      scopeSpans.filter(({ scope }) => scope.name === "tollgate").flatMap((one) => one.spans)
    )
  );
  return {
    spans,
    text: bodies.join("\n"),
    generation: response.headers.get("x-generation-id"),
    sent,
    metrics,
  };
}

const startedSchema = z.object({ url: z.string(), apiKey: z.string(), managementKey: z.string() });

async function scrape(url: string, key: string): Promise<string> {
  const headers = { authorization: `Bearer ${key}`, accept: "application/openmetrics-text; version=1.0.0" };
  let text = "";
  await until(async () => {
    text = await (await fetch(`${url}/metrics`, { headers })).text();
    return text.includes("trace_id");
  }, { what: "that the request is counted" });
  return text;
}

/** The lines of a stream, which has to have as many as are asked for. */
function linesOf(stream: ReadableStream<Uint8Array>) {
  const reader = stream.getReader();
  const decoder = new TextDecoder();
  let text = "";
  return {
    async next(): Promise<string> {
      while (!text.includes("\n")) {
        const { value, done } = await reader.read();
        assert(!done, `the program has ended: ${text}`);
        text += decoder.decode(value, { stream: true });
      }
      const end = text.indexOf("\n");
      const line = text.slice(0, end);
      text = text.slice(end + 1);
      if (line.startsWith("[")) await reader.cancel();
      return line;
    },
  };
}

/** The tree below a span as indented names, children in the order in which they were made. */
function treeOf(spans: readonly ReadSpan[], parent: string): readonly string[] {
  return spans.filter(({ parentSpanId }) => parentSpanId === parent).flatMap((span) => [
    `${span.name}${span.status.code === 2 ? " !" : ""}`,
    ...treeOf(spans, span.spanId).map((line) => `  ${line}`),
  ]);
}

Deno.test("a loop with tools and a fallback is one tree in the client's trace, without content", async () => {
  const { spans, text, generation, sent, metrics } = await collect({
    model: "mock/loop",
    provider: { order: ["broken", "well"] },
    input: "a-secret-of-the-prompt",
    tools: [{ type: "service:datetime" }],
    tool_choice: "required",
  });
  assert(spans.every(({ traceId }) => traceId === TRACE));
  assert.deepEqual(treeOf(spans, PARENT), [
    "chat mock/loop",
    "  turn 1",
    "    chat mock/loop !",
    "    chat mock/loop",
    "    execute_tool datetime !",
    "  turn 2",
    "    chat mock/loop",
  ]);
  const root = spans.find(({ parentSpanId }) => parentSpanId === PARENT);
  assert(root !== undefined);
  for (const { name, parentSpanId, startTimeUnixNano: from, endTimeUnixNano: to } of spans) {
    const parent = spans.find(({ spanId }) => spanId === parentSpanId);
    assert(from <= to && (parent?.startTimeUnixNano ?? from) <= from, name);
    assert(to <= (parent?.endTimeUnixNano ?? to), name);
  }
  const told = new Map(root.attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
  assert.equal(told.get("tollgate.generation"), generation);
  assert.equal(told.get("gen_ai.operation.name"), "chat");
  assert.equal(told.get("tollgate.status"), "completed");
  assert.deepEqual([root.kind, spans.filter(({ kind }) => kind === 3).length], [2, 3]);
  const own = `00-${TRACE}-${root.spanId}-01`;
  assert.deepEqual(sent, [null, own, own]);
  assert.match(metrics, new RegExp(`le="[^"]*"\\} 1 # \\{trace_id="${TRACE}"\\} [\\d.]+ [\\d.]+\n`));
  assert.doesNotMatch(text, /a-secret-of-the-prompt|sk-provider-key/);
});
