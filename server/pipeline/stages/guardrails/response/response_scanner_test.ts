import assert from "node:assert/strict";
import type { ItemDoneEvent, OutputEvent, TextEvent } from "../../../../protocols/canonical/event.ts";
import type { Logprob, MessageItem, OutputItem } from "../../../../protocols/canonical/item.ts";
import { compileContentFilters } from "../../../guardrails/content_filters.ts";
import type { FilterAction } from "../../../guardrails/filter_strength.ts";
import { BlockedContent } from "../../../guardrails/scanners/text_scanner.ts";
import { runNow } from "../../../../../shared/util/run_work.ts";
import { OUTPUT_WINDOW } from "../../../guardrails/scanners/scan_windows.ts";
import { ResponseScanner } from "./response_scanner.ts";

const secret = "id-4711-x";

function scannerOf(action: FilterAction, pattern = "id-\\d{4}-[a-z]") {
  const filters = compileContentFilters([{
    id: "11111111-1111-4111-8111-111111111111",
    scope: "workspace",
    content_filters: [{ pattern, action, label: "ID" }],
    content_filter_builtins: null,
  }]);
  assert.ok(filters);
  let found = 0;
  let skipped = 0;
  const remembered: string[] = [];
  const scanner = new ResponseScanner({
    view: filters.others,
    window: OUTPUT_WINDOW,
    report: () => found++,
    read: () => undefined,
    remember: (text) => remembered.push(text),
    skip: () => skipped++,
  });
  const scan = (...events: readonly OutputEvent[]) =>
    events.flatMap((event) => runNow(scanner.scan([event])));
  return { scan, found: () => found, skipped: () => skipped, remembered };
}

const message: MessageItem = { type: "message", role: "assistant", parts: [] };
const opened: OutputEvent = { type: "item", itemKey: 0, item: message };
const textOf = (delta: string, more: Partial<TextEvent> = {}): TextEvent => ({
  type: "text",
  itemKey: 0,
  part: 0,
  delta,
  ...more,
});
const finish: OutputEvent = { type: "finish", reason: "stop" };
const token = (text: string): Logprob => ({ token: text, logprob: -1 });

const joined = (events: readonly OutputEvent[]) =>
  events.map((event) => "delta" in event ? event.delta : "").join("");

Deno.test("events without a match are the same objects", () => {
  const { scan, found } = scannerOf("redact");
  const events = [opened, textOf("Hello "), textOf("there, "), textOf("friend."), finish];
  assert.deepEqual(scan(...events), events);
  const passed = scannerOf("redact").scan(opened, textOf("Hello there"), finish);
  assert.equal(passed[0], opened);
  assert.equal(found(), 0);
});

Deno.test("tokens of text that is replaced are dropped, the others stay with their text", () => {
  const { scan } = scannerOf("redact");
  const tokens = ["It ", "is ", "id", "-4711", "-x", ", see", " it"].map(token);
  const whole = tokens.map((one) => one.token).join("");
  const events = scan(opened, textOf(whole, { logprobs: tokens }), finish);
  assert.equal(joined(events), "It is [ID], see it");
  const kept = events.flatMap((event) => event.type === "text" ? event.logprobs ?? [] : []);
  assert.deepEqual(kept.map((one) => one.token), ["It ", "is ", ", see", " it"]);
});

Deno.test("citations keep their place behind what they cite, and move with the text", () => {
  const { scan } = scannerOf("redact");
  const annotation = {
    type: "url_citation",
    url: "https://a.example",
    title: "t",
    start_index: 16,
    end_index: 20,
  };
  const events = scan(
    opened,
    textOf(`It is ${secret}, cited`),
    { type: "annotation", itemKey: 0, part: 0, annotation },
    textOf(" and more"),
    finish,
  );
  assert.equal(joined(events), "It is [ID], cited and more");
  const position = events.findIndex(({ type }) => type === "annotation");
  const cited = events[position];
  assert.ok(cited?.type === "annotation");
  assert.deepEqual([cited.annotation.start_index, cited.annotation.end_index], [11, 15]);
  assert.equal(joined(events.slice(0, position)), "It is [ID], cited");
});

const done = (item: OutputItem): ItemDoneEvent => ({ type: "item_done", itemKey: 0, item });

Deno.test("the item at the end is told as it was let through, and what it adds is streamed first", () => {
  const { scan } = scannerOf("redact");
  const parts = [{
    type: "text",
    text: `It is ${secret}, and id-0000-z too`,
    logprobs: [token("It")],
  }] as const;
  const events = scan(opened, textOf("It is id-47"), textOf("11-x, "), done({ ...message, parts }), finish);
  const replaced = "It is [ID], and [ID] too";
  assert.equal(joined(events), replaced);
  const last = events.find(({ type }) => type === "item_done");
  assert.ok(last?.type === "item_done" && last.item?.type === "message");
  assert.deepEqual(last.item.parts, [{
    type: "text",
    text: replaced,
    annotations: undefined,
    logprobs: undefined,
  }]);
});

Deno.test("an item that was not streamed, or was streamed otherwise, is read as it is told", () => {
  const item = { ...message, parts: [{ type: "text", text: `It is ${secret}` }] } as const;
  for (const streamed of [[], [textOf("Something else")]]) {
    const events = scannerOf("redact").scan(opened, ...streamed, done(item), finish);
    assert.match(JSON.stringify(events.at(-2)), /It is \[ID\]/);
    assert.throws(() => scannerOf("block").scan(opened, ...streamed, done(item)), BlockedContent);
  }
});

Deno.test("reasoning, refusals and the input of custom tools are read while they come", () => {
  const call = { type: "call", kind: "custom", callId: "c", name: "run", arguments: "" } as const;
  const reasoning = { type: "reasoning", summary: [], content: [] } as const;
  const rows: readonly (readonly [OutputItem, (delta: string) => OutputEvent])[] = [
    [message, (delta) => textOf(delta, { type: "refusal" })],
    [reasoning, (delta) => textOf(delta, { type: "thought" })],
    [reasoning, (delta) => textOf(delta, { type: "summary" })],
    [call, (delta) => ({ type: "arguments", itemKey: 0, delta })],
  ];
  for (const [item, event] of rows) {
    const { scan } = scannerOf("redact");
    const events = scan(
      { type: "item", itemKey: 0, item },
      ...[...`a long beginning, then ${secret} and more`].map(event),
      { type: "item_done", itemKey: 0 },
      finish,
    );
    assert.equal(joined(events), "a long beginning, then [ID] and more");
    assert.ok(events.length > 15, "it is not held until the end");
  }
});

Deno.test("a signature goes where the reasoning that it seals was changed", () => {
  const item = { type: "reasoning", summary: [], content: [`hm ${secret}`], signature: "sig" } as const;
  const events = scannerOf("redact").scan(
    { type: "item", itemKey: 0, item: { ...item, content: [] } },
    done(item),
    finish,
  );
  const last = events.at(-2);
  assert.ok(last?.type === "item_done" && last.item?.type === "reasoning");
  assert.deepEqual([last.item.content, last.item.signature], [["hm [ID]"], undefined]);
});

Deno.test("arguments of functions come when they are whole, as they were sent where nothing matches", () => {
  const item = { type: "call", kind: "function", callId: "c", name: "f", arguments: "" } as const;
  const pieces = (text: string): OutputEvent[] =>
    [...text].map((delta) => ({ type: "arguments", itemKey: 0, delta }));
  const start: OutputEvent = { type: "item", itemKey: 0, item };
  const { scan } = scannerOf("redact");
  assert.deepEqual(scan(start, ...pieces('{"a": 1}')), [start]);
  assert.deepEqual(scan({ type: "item_done", itemKey: 0 }).slice(0, -1), pieces('{"a": 1}'));
  const other = scannerOf("redact").scan(start, ...pieces(`{"a": "id\\u002d4711-x"}`), {
    type: "item_done",
    itemKey: 0,
    item: { ...item, arguments: `{"a": "id\\u002d4711-x"}` },
  });
  assert.equal(joined(other), '{"a": "[ID]"}');
  assert.match(JSON.stringify(other.at(-1)), /\[ID\]/);
});

Deno.test("texts of a provider's own tools are held until they end", () => {
  const item = {
    type: "foreign",
    wire: "responses",
    kind: "mcp_call",
    value: { type: "mcp_call", id: "m" },
  } as const;
  const delta = (text: string): OutputEvent => ({
    type: "foreign",
    wire: "responses",
    itemKey: 0,
    value: { type: "response.mcp_call_arguments.delta", delta: text },
  });
  const last = (text: string): OutputEvent => ({
    type: "foreign",
    wire: "responses",
    itemKey: 0,
    value: { type: "response.mcp_call_arguments.done", arguments: text },
  });
  const { scan } = scannerOf("redact");
  const events = scan(
    { type: "item", itemKey: 0, item },
    ...[...`see ${secret}`].map(delta),
    last(`see ${secret}`),
  );
  assert.equal(events.length, 3);
  assert.ok(!JSON.stringify(events).includes("4711"));
  assert.equal(JSON.stringify(events).match(/see \[ID\]/g)?.length, 2);
});

Deno.test("what a response cannot be read for is counted", () => {
  const { scan, skipped } = scannerOf("redact");
  const parts = [{ type: "image", url: "data:image/png;base64,AA" }] as const;
  scan(opened, done({ ...message, parts }));
  scan({
    type: "item_done",
    itemKey: 1,
    item: { type: "reasoning", summary: [], content: [], encrypted: "x" },
  });
  assert.equal(skipped(), 2);
});
