import assert from "node:assert/strict";
import type { OutputEvent } from "../../../protocols/canonical/event.ts";
import type { MessageItem } from "../../../protocols/canonical/item.ts";
import { sourceFrom } from "../../../protocols/stream/source.ts";
import { RequestRecord } from "../../request_record.ts";
import { HealedSource } from "./healed_source.ts";

const opened: OutputEvent = {
  type: "item",
  itemKey: 0,
  item: { type: "message", role: "assistant", parts: [] },
};
const begin: OutputEvent = { type: "begin" };
const finish: OutputEvent = { type: "finish", reason: "stop" };
const broken = "```json\n{'a': [1, 2,],}\n```";
const healed = '{"a": [1, 2]}';

const text = (delta: string, part = 0): OutputEvent => ({ type: "text", itemKey: 0, part, delta });
const done = (whole?: string): OutputEvent => ({
  type: "item_done",
  itemKey: 0,
  item: whole === undefined ? undefined : { ...messageOf(whole), status: "completed" },
});
const messageOf = (whole: string): MessageItem => ({
  type: "message",
  role: "assistant",
  parts: [{ type: "text", text: whole }],
});

interface Read {
  readonly events: readonly OutputEvent[];
  readonly batches: readonly (readonly OutputEvent[])[];
  readonly data: Readonly<Record<string, unknown>> | undefined;
}

/** Reads the response that came in these batches. */
async function read(...batches: readonly (readonly OutputEvent[])[]): Promise<Read> {
  const record = new RequestRecord();
  const source = new HealedSource(sourceFrom(...batches), {
    format: { type: "json_object" },
    record,
    clock: { monotonic: () => 0 },
  });
  const out: (readonly OutputEvent[])[] = [];
  for (let batch = await source.pull(); batch !== undefined; batch = await source.pull()) out.push(batch);
  assert(record.stages.length <= 1);
  return { events: out.flat(), batches: out, data: record.stages[0]?.data };
}

Deno.test("HealedSource sends the healed JSON in one piece, however the text came", async () => {
  const expected = [begin, opened, { ...text(healed), logprobs: undefined }, done(), finish];
  const chunkings = Array.from(broken, (_, at) => [broken.slice(0, at), broken.slice(at)]);
  for (const chunks of [[broken], [...broken], ...chunkings]) {
    const deltas = chunks.map((chunk) => text(chunk));
    for (
      const batches of [
        [[begin, opened, ...deltas, done(), finish]],
        [begin, opened, ...deltas, done(), finish].map((one) => [one]),
      ]
    ) {
      const { events, data } = await read(...batches);
      assert.deepEqual(events, expected, JSON.stringify(chunks));
      assert.deepEqual(data, {
        mode: "json_object",
        improved: true,
        original_length: broken.length,
        healed_length: healed.length,
      });
    }
  }
});

Deno.test("HealedSource heals a text that is told at the end of its item, and one in several parts", async () => {
  const told = await read([begin, opened, text(broken), done(broken), finish]);
  const whole = await read([begin, done(broken), finish]);
  for (const { events } of [told, whole]) {
    const last = events.find((event) => event.type === "item_done");
    assert(last?.type === "item_done" && last.item?.type === "message");
    assert.deepEqual(last.item.parts.map((part) => part.type === "text" && part.text), [healed]);
    assert.equal(last.item.status, "completed");
  }
  const { events } = await read([
    begin,
    opened,
    text(broken.slice(0, 9)),
    text(broken.slice(9), 1),
    done(),
    finish,
  ]);
  assert.deepEqual(events.flatMap((event) => event.type === "text" ? [event.delta] : []), [healed]);
});

Deno.test("HealedSource leaves a response as it came where nothing is to be healed, and notes no stage", async () => {
  const json = [begin, opened, text('{"a"'), text(": 1}"), done(), finish];
  const called = { type: "call", kind: "function", callId: "c", name: "f", arguments: "" } as const;
  const call: OutputEvent = { type: "item", itemKey: 1, item: called };
  const before = [
    begin,
    opened,
    text("I look it up: {"),
    done(),
    call,
    { type: "item_done", itemKey: 1 } as const,
    finish,
  ];
  for (const events of [json, before, [begin, finish], [begin, opened, text(" \n"), done(), finish]]) {
    assert.deepEqual(await read(events).then(({ events, data }) => ({ events, data })), {
      events,
      data: undefined,
    });
  }
});

Deno.test("HealedSource never heals what has ended otherwise, and says why", async () => {
  const cut: OutputEvent = { type: "finish", reason: "length" };
  const filtered: OutputEvent = { type: "finish", reason: "content_filter" };
  const failure: OutputEvent = {
    type: "failure",
    failure: { kind: "upstream_failed", message: "It broke off" },
  };
  const refusal: OutputEvent = { type: "refusal", itemKey: 0, part: 1, delta: "I will not" };
  const said = [begin, opened, text(broken), done()];
  const second = { type: "item", itemKey: 1, item: messageOf("") } as const;
  const cases: readonly (readonly [reason: string, events: readonly OutputEvent[]])[] = [
    ["token_limit", [...said, cut]],
    ["content_filter", [...said, filtered]],
    ["refusal", [...said, refusal, finish]],
    ["broken_off", [...said, failure]],
    ["broken_off", said],
    ["several_texts", [...said, second, { ...text("{}"), itemKey: 1 } as OutputEvent, finish]],
    ["no_json", [begin, opened, text("None."), done(), finish]],
  ];
  for (const [reason, events] of cases) {
    const { events: out, data } = await read(events);
    assert.deepEqual(out, events);
    assert.equal(data?.reason, reason);
    assert.equal(data?.improved, false);
  }
  // A response that was complete when its limit came.
  assert.equal((await read([begin, opened, text('{"a": 1}'), cut])).data, undefined);
});

Deno.test("HealedSource lets reasoning go on while it holds a text back", async () => {
  const reasoning: OutputEvent = {
    type: "item",
    itemKey: "r",
    item: { type: "reasoning", summary: [], content: [] },
  };
  const thought: OutputEvent = { type: "thought", itemKey: "r", part: 0, delta: "Hm" };
  const end: OutputEvent = { type: "item_done", itemKey: "r" };
  const { batches } = await read([begin], [opened], [text(broken)], [reasoning], [thought], [end], [done()], [
    finish,
  ]);
  assert.deepEqual(batches.slice(0, -1), [[begin], [reasoning], [thought], [end]]);
});

Deno.test("HealedSource moves annotations with their text, and drops those of what is gone", async () => {
  const cite = (cited: string): OutputEvent => {
    const start_index = broken.indexOf(cited);
    const annotation = { type: "url_citation", start_index, end_index: start_index + cited.length };
    return { type: "annotation", itemKey: 0, part: 0, annotation };
  };
  const { events } = await read([begin, opened, text(broken), cite("[1, 2"), cite("json"), done(), finish]);
  const annotations = events.flatMap((event) => event.type === "annotation" ? [event.annotation] : []);
  assert.deepEqual(annotations, [{ type: "url_citation", start_index: 6, end_index: 11 }]);
  assert.equal(healed.slice(6, 11), "[1, 2");
});

Deno.test("HealedSource heals the answer behind a commentary, which goes on at once", async () => {
  const commentary: OutputEvent = {
    type: "item",
    itemKey: "c",
    item: { type: "message", role: "assistant", parts: [], phase: "commentary" },
  };
  const told = { ...text("I look at {a}."), itemKey: "c" } as OutputEvent;
  const { batches, data } = await read([commentary], [told], [opened], [text(broken)], [finish]);
  assert.deepEqual(batches.slice(0, 2), [[commentary], [told]]);
  assert.equal(data?.improved, true);
});
