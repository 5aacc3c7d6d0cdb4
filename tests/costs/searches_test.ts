/** How many searches an answer is charged for, on every wire whose provider searches itself, streamed and whole. */

import assert from "node:assert/strict";
import type { ModelEvent } from "../../server/protocols/canonical/event.ts";
import type { WireId } from "../../server/protocols/canonical/item.ts";
import { ToolUseCounter } from "../../server/billing/pricing/tool_use_counter.ts";
import { outboundFor } from "../../server/protocols/mod.ts";
import { foldEvents } from "../../server/protocols/stream/state_machine.ts";
import type { Json } from "../support/event_stream.ts";
import { modelRequest } from "../support/requests.ts";
import { responseObject } from "../support/scripted.ts";

interface Row {
  readonly wire: WireId;
  readonly what: string;
  readonly model?: string;
  readonly whole: Json;
  /** Frames of the same answer; the counts come with the last of them. */
  readonly frames: readonly Json[];
  readonly searches: number | undefined;
}

const openaiUsage = { input_tokens: 10, output_tokens: 5, total_tokens: 15 };

function openai(
  what: string,
  actions: readonly string[],
  { counted }: { readonly counted?: number } = {},
): Row {
  const output = actions.map((type, at) => ({
    type: "web_search_call",
    id: `ws_${at}`,
    status: "completed",
    ...(type === "" ? {} : { action: { type } }),
  }));
  const tool_usage = counted === undefined ? undefined : { web_search: { num_requests: counted } };
  const whole = responseObject({ output, usage: openaiUsage, tool_usage });
  const items = output.flatMap((item, output_index) => [
    { type: "response.output_item.added", output_index, item: { ...item, status: "in_progress" } },
    { type: "response.output_item.done", output_index, item },
  ]);
  const searches = counted ?? actions.filter((type) => type === "search" || type === "").length;
  return {
    wire: "responses",
    what,
    whole,
    frames: [
      { type: "response.created", response: responseObject({ status: "in_progress", output: [] }) },
      ...items,
      { type: "response.completed", response: whole },
    ],
    searches: searches || undefined,
  };
}

/** `queries`: those that each chunk names. */
function gemini(
  model: string,
  ...[queries, searches]: readonly [queries: readonly (readonly string[])[], searches?: number]
): Row {
  const usageMetadata = { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 };
  const chunk = (webSearchQueries: readonly string[], more: Json = {}) => ({
    modelVersion: model,
    usageMetadata,
    candidates: [{
      index: 0,
      content: { role: "model", parts: [{ text: "x" }] },
      ...(webSearchQueries.length > 0 ? { groundingMetadata: { webSearchQueries } } : {}),
      ...more,
    }],
  });
  const last = queries.length - 1;
  return {
    wire: "gemini",
    what: `${model}: ${JSON.stringify(queries)}`,
    whole: chunk(queries.flat(), { finishReason: "STOP" }),
    frames: queries.map((some, at) => chunk(some, at === last ? { finishReason: "STOP" } : {})),
    searches,
  };
}

const rows: readonly Row[] = [
  openai("searches", ["search", "search"]),
  openai("searches without their action", ["", ""]),
  openai("pages opened and read", ["search", "open_page", "find_in_page", "find"]),
  openai("pages alone", ["open_page", "find_in_page"]),
  openai("the provider's own count", ["search", "open_page"], { counted: 3 }),
  gemini("gemini-3-pro-preview", [["a", "b"]], 2),
  gemini("gemini-3-pro-preview", [["a", "b", "a", " b ", "", " "]], 2),
  gemini("gemini-3.1-pro-preview", [["a"], ["b"], ["a", "c"]], 3),
  gemini("gemini-9-future", [["a", "b"]], 2),
  gemini("gemini-3-flash-preview", [[""]]),
  gemini("gemini-3-flash-preview", [[]]),
  gemini("gemini-2.5-flash", [["a", "b", "c"]], 1),
  gemini("gemini-2.5-pro", [["a"], ["b"]], 1),
  gemini("gemini-2.0-flash-001", [["a", "b"]], 1),
  gemini("gemini-2.5-flash-lite", [["", " "]]),
  gemini("gemini-2.5-flash", [[]]),
];

/** As billing counts: by what the provider says, and where it says nothing by the items. */
function searchesIn(events: readonly ModelEvent[], { estimated }: { readonly estimated: boolean }) {
  const uses = new ToolUseCounter();
  for (const event of events) {
    if (event.type === "item_done" && event.item?.type === "foreign") uses.add(event.item);
  }
  const last = events.at(-1);
  assert(last?.type === "finish" && last.usage !== undefined);
  const usage = estimated ? { ...last.usage, webSearches: undefined, estimated } : last.usage;
  return uses.addTo(usage, { tools: [] }).webSearches;
}

for (const { wire, what, whole, frames, searches, model } of rows) {
  Deno.test(`an answer is charged ${searches ?? "no"} searches on ${wire}: ${what}`, () => {
    const request = modelRequest({ stream: true, model });
    const outbound = outboundFor(wire);
    const atOnce = outbound.parseResponse(whole, request);
    assert.equal(searchesIn(atOnce, { estimated: false }), searches, "whole");
    const streamed = foldEvents(
      outbound.parseEvents(request),
      frames.map((frame) => ({ data: JSON.stringify(frame) })),
    );
    assert.equal(searchesIn(streamed, { estimated: false }), searches, "streamed");
    if (wire !== "responses" || what.includes("own count")) return;
    assert.equal(searchesIn(streamed, { estimated: true }), searches, "by its items");
  });
}

Deno.test("an answer of Gemini that does not name its model is charged as the model that was asked for", () => {
  const { whole } = gemini("gemini-2.5-flash", [["a", "b"]], 1);
  const { modelVersion: _, ...unnamed } = whole;
  const asked = (model: string) =>
    searchesIn(outboundFor("gemini").parseResponse(unnamed, modelRequest({ model })), { estimated: false });
  assert.deepEqual([asked("google/gemini-2.5-flash"), asked("google/gemini-3-pro")], [1, 2]);
});
