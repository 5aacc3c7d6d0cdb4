/** Random responses through content filters: a stream says the same as the items that are told as a whole. */

import assert from "node:assert/strict";
import * as fc from "fast-check";
import type { OutputEvent, TextEvent } from "../../server/protocols/canonical/event.ts";
import type { OutputItem } from "../../server/protocols/canonical/item.ts";
import {
  type ActiveFilter,
  compileContentFilters,
} from "../../server/pipeline/guardrails/content_filters.ts";
import { OUTPUT_WINDOW } from "../../server/pipeline/guardrails/scanners/scan_windows.ts";
import { runNow } from "../../shared/util/run_work.ts";
import { ResponseScanner } from "../../server/pipeline/stages/guardrails/response/response_scanner.ts";
import { assertProperty } from "../support/property.ts";

const filters = compileContentFilters([{
  id: "11111111-1111-4111-8111-111111111111",
  scope: "workspace",
  content_filters: [
    { pattern: "id-\\d{4}-[a-z]", action: "redact", label: "ID" },
    { pattern: "key-[a-z0-9]{4,40}", action: "redact", label: "KEY" },
    { pattern: "x y", action: "flag", label: "XY" },
  ],
  content_filter_builtins: [{ slug: "email", action: "redact" }, { slug: "phone", action: "redact" }],
  words: ["blue bird"],
  words_action: "redact",
}]);
assert.ok(filters);
const view = filters.outputs;

/** An item by the texts of its parts. */
type Said =
  | { readonly type: "message" | "thought" | "summary"; readonly texts: readonly string[] }
  | { readonly type: "call" };

function itemOf(said: Said): OutputItem {
  switch (said.type) {
    case "call":
      return { type: "call", kind: "function", callId: "c", name: "f", arguments: '{"a":1}' };
    case "message":
      return {
        type: "message",
        role: "assistant",
        parts: said.texts.map((text) => ({ type: "text", text })),
      };
    default:
      return {
        type: "reasoning",
        content: said.type === "thought" ? said.texts : [],
        summary: said.type === "summary" ? said.texts : [],
      };
  }
}

const opened = (item: OutputItem): OutputItem => {
  if (item.type === "message") return { ...item, parts: [] };
  if (item.type === "reasoning") return { ...item, content: [], summary: [] };
  return item.type === "call" ? { ...item, arguments: "" } : item;
};

type Split = (text: string) => readonly string[];

function eventsOf(all: readonly Said[], split: Split | undefined): readonly OutputEvent[] {
  const events = all.flatMap((said, itemKey): readonly OutputEvent[] => {
    const item = itemOf(said);
    const type = said.type === "message" ? "text" : said.type;
    const deltas = type === "call" || said.type === "call" || split === undefined
      ? []
      : said.texts.flatMap((text, part) =>
        split(text).map((delta): TextEvent => ({ type, itemKey, part, delta }))
      );
    return [{ type: "item", itemKey, item: opened(item) }, ...deltas, { type: "item_done", itemKey, item }];
  });
  return [...events, { type: "finish", reason: "stop" }];
}

function read(events: readonly OutputEvent[], hasJsonTexts: boolean) {
  const found: string[] = [];
  const scanner = new ResponseScanner({
    view,
    window: OUTPUT_WINDOW,
    hasJsonTexts,
    report: ({ members }: ActiveFilter) => found.push(String(members[0]?.label)),
    read: () => {},
    remember: () => {},
    skip: () => {},
  });
  const out = events.flatMap((event) => runNow(scanner.scan([event])));
  const items = out.flatMap((event) => event.type === "item_done" ? [plain(event.item)] : []);
  const deltas = out.flatMap((event) => "part" in event && "delta" in event ? [event] : []);
  return { out, items, deltas, found: found.toSorted() };
}

/** Its texts. */
function plain(item: OutputItem | undefined): readonly string[] {
  if (item?.type === "message") return item.parts.map((part) => "text" in part ? part.text : "");
  if (item?.type === "reasoning") return [...item.content, ...item.summary];
  return [item?.type ?? ""];
}

const fragments = fc.constantFrom(
  ..."id-4711-x",
  "id-4711-x",
  "id-4",
  "711-x",
  "ann@exa",
  "mple.org",
  "ann\\u00",
  "40example.org",
  "+1 415 5",
  "55 2671",
  "key-abcd12",
  "key-",
  "ef99",
  "blue ",
  "bird",
  "x ",
  "y",
  " ",
  "word ",
  '{"a":"',
  '"}',
  "😀",
  "lorem ipsum ".repeat(120),
);
const text = fc.array(fragments, { minLength: 1, maxLength: 4 }).map((parts) => parts.join(""));
const said = fc.oneof(
  {
    arbitrary: fc.record({ type: fc.constant("message" as const), texts: fc.array(text, { maxLength: 3 }) }),
    weight: 4,
  },
  {
    arbitrary: fc.record({
      type: fc.constantFrom("thought" as const, "summary" as const),
      texts: fc.array(text, { minLength: 1, maxLength: 2 }),
    }),
    weight: 1,
  },
  { arbitrary: fc.constant({ type: "call" as const }), weight: 1 },
);

Deno.test("a thought between two summaries counts, told as a whole or in pieces", () => {
  for (const texts of [["id-47", "11-x"], ["key-abcd12", "i"]]) {
    const all: readonly Said[] = [
      { type: "summary", texts: texts.slice(0, 1) },
      { type: "thought", texts: ["i"] },
      { type: "summary", texts: texts.slice(1) },
    ];
    const whole = read(eventsOf(all, undefined), false);
    const streamed = read(eventsOf(all, (text) => [...text]), false);
    assert.deepEqual([streamed.items, streamed.found], [whole.items, whole.found]);
  }
});

Deno.test("a stream of items says the same as the items, however it is cut", () => {
  assertProperty(
    fc.property(
      fc.array(said, { maxLength: 6 }),
      fc.integer({ min: 1, max: 9 }),
      fc.boolean(),
      (all, size, isJson) => {
        const whole = read(eventsOf(all, undefined), isJson);
        const pieces = (one: string) => one.match(new RegExp(`[^]{1,${size}}`, "g")) ?? [];
        const streamed = read(eventsOf(all, pieces), isJson);
        assert.deepEqual(streamed.items, whole.items);
        assert.deepEqual(streamed.found, whole.found);
        const order = streamed.out.flatMap((event) => "itemKey" in event ? [Number(event.itemKey)] : []);
        assert.deepEqual(order, order.toSorted((one, other) => one - other), "events keep their order");
        const told = streamed.deltas.map(({ delta }) => delta).join("");
        const texts = streamed.items.filter((_, at) => all[at]?.type !== "call").flat().join("");
        assert.equal(told, texts, "deltas add up to the items");
        if (isJson) return;
        const speech = all.flatMap((one, at) => one.type === "message" ? [streamed.items[at] ?? []] : [])
          .flat();
        assert.doesNotMatch(speech.join(""), /id-\d{4}-[a-z]/);
      },
    ),
    { numRuns: 1_500 },
  );
});
