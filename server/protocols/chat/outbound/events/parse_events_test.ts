import assert from "node:assert/strict";
import type { ModelEvent } from "../../../canonical/event.ts";
import type { JsonObject } from "../../../canonical/item.ts";
import type { ModelRequest } from "../../../canonical/request.ts";
import { foldEvents } from "../../../stream/state_machine.ts";
import { modelRequest } from "../../../../../tests/support/requests.ts";
import { parseEvents } from "./parse_events.ts";

type Frame = JsonObject | string;

const frame = (one: Frame) => ({ data: typeof one === "string" ? one : JSON.stringify(one) });

function parse(frames: readonly Frame[], request: Partial<ModelRequest> = {}): readonly ModelEvent[] {
  return foldEvents(parseEvents(modelRequest({ stream: true, ...request })), frames.map(frame));
}

/** A chunk with one choice. */
const chunk = (delta: JsonObject, more: JsonObject = {}) => ({
  id: "c1",
  model: "m",
  choices: [{ index: 0, delta, ...more }],
});
const end = (reason: string | null = "stop", more: JsonObject = {}) => ({
  ...chunk({}, { finish_reason: reason }),
  ...more,
});
const done = "[DONE]";

/** Events without the fields that a case does not care about, in short. */
function short(events: readonly ModelEvent[]): readonly string[] {
  return events.map((event) => {
    switch (event.type) {
      case "begin":
        return "begin";
      case "item":
        return `${event.itemKey}+${event.item.type}${
          event.item.type === "call" ? ` ${event.item.name}` : ""
        }`;
      case "text":
      case "refusal":
      case "thought":
      case "summary":
        return `${event.itemKey} ${event.type}${event.part} ${event.delta}`;
      case "arguments":
        return `${event.itemKey} args ${event.delta}`;
      case "item_done":
        return `${event.itemKey}-`;
      case "finish":
        return `finish ${event.reason}`;
      case "failure":
        return `failure ${event.failure.kind}`;
      default:
        return event.type;
    }
  });
}

/** A table of streams and what they say; `begin` is left out of what is expected, and `finish stop` is implied. */
type Cases = Readonly<Record<string, readonly [readonly Frame[], readonly string[]]>>;

async function table(t: Deno.TestContext, cases: Cases, request?: Partial<ModelRequest>): Promise<void> {
  for (const [name, [frames, expected]] of Object.entries(cases)) {
    await t.step(name, () => {
      const words = short(parse(frames, request)).filter((word) => word !== "begin");
      const last = expected.at(-1) ?? "";
      assert.deepEqual(words, /^(finish|failure)/.test(last) ? expected : [...expected, "finish stop"]);
    });
  }
}

const answers: Cases = {
  "text": [
    [
      chunk({ role: "assistant", content: "" }),
      chunk({ content: "He" }),
      chunk({ content: "y" }),
      end(),
      done,
    ],
    ["0+message", "0 text0 He", "0 text0 y", "0-"],
  ],
  "content null and role only": [[
    chunk({ role: "assistant", content: null }),
    chunk({ content: "a", refusal: null, tool_calls: null }),
    end(),
  ], ["0+message", "0 text0 a", "0-"]],
  "a delta beside the finish reason": [[chunk({ content: "a" }, { finish_reason: "stop" }), done], [
    "0+message",
    "0 text0 a",
    "0-",
  ]],
  "refusal": [[chunk({ refusal: "I " }), chunk({ refusal: "can't" }), end()], [
    "0+message",
    "0 refusal0 I ",
    "0 refusal0 can't",
    "0-",
  ]],
  "text, refusal, text": [[
    chunk({ content: "a" }),
    chunk({ refusal: "b" }),
    chunk({ content: "c" }),
    end(),
  ], [
    "0+message",
    "0 text0 a",
    "0 refusal1 b",
    "0 text2 c",
    "0-",
  ]],
  "reasoning_content": [[
    chunk({ reasoning_content: "hm" }),
    chunk({ content: "a", reasoning_content: null }),
    end(),
  ], [
    "0+reasoning",
    "0 thought0 hm",
    "0-",
    "1+message",
    "1 text0 a",
    "1-",
  ]],
  "reasoning": [[chunk({ content: "", reasoning: "hm" }), chunk({ content: "a" }), end()], [
    "0+reasoning",
    "0 thought0 hm",
    "0-",
    "1+message",
    "1 text0 a",
    "1-",
  ]],
  "both say the same": [[chunk({ reasoning: "hm", reasoning_content: "hm" }), end()], [
    "0+reasoning",
    "0 thought0 hm",
    "0-",
  ]],
  "details win over the plain field": [[
    chunk({ reasoning: "hm", reasoning_details: [{ type: "reasoning.text", text: "hm" }] }),
    chunk({ reasoning: "so", reasoning_details: [{ type: "reasoning.summary", summary: "so" }] }),
    end(),
  ], ["0+reasoning", "0 thought0 hm", "0 summary0 so", "0-"]],
  "thinking parts (Mistral)": [[
    chunk({ content: [{ type: "thinking", thinking: [{ type: "text", text: "hm" }] }] }),
    chunk({ content: [{ type: "text", text: "a" }] }),
    end(),
  ], ["0+reasoning", "0 thought0 hm", "0-", "1+message", "1 text0 a", "1-"]],
  "reasoning in between": [[
    chunk({ content: "a" }),
    chunk({ reasoning: "hm" }),
    chunk({ content: "b" }),
    end(),
  ], [
    "0+message",
    "0 text0 a",
    "0-",
    "1+reasoning",
    "1 thought0 hm",
    "1-",
    "2+message",
    "2 text0 b",
    "2-",
  ]],
  "other choices are ignored": [[
    { choices: [{ index: 1, delta: { content: "x" } }, { index: 0, delta: { content: "a" } }] },
    { choices: [{ index: 1, delta: {}, finish_reason: "length" }] },
    end(),
  ], ["0+message", "0 text0 a", "0-"]],
  "unknown fields and chunks": [[
    { type: "ping" },
    { choices: [] },
    { ...chunk({ content: "a", foo: { bar: 1 } }), prompt_filter_results: [] },
    end("stop", { system_fingerprint: "fp" }),
  ], ["0+message", "0 text0 a", "0-"]],
  "malformed extras do no harm": [[
    {
      id: 7,
      model: [],
      choices: [{ index: "0", delta: { content: "a", annotations: "x", images: [1] }, logprobs: 3 }],
    },
    end("stop", { usage: "many", service_tier: 4 }),
  ], ["0+message", "0 text0 a", "0-"]],
};

Deno.test("parseEvents reads text, refusals and reasoning in every dialect", (t) => table(t, answers));

Deno.test("parseEvents knows when an answer is over, and when it is not (U9, U15)", (t) => {
  const text = chunk({ content: "a" });
  const received = ["0+message", "0 text0 a"];
  return table(t, {
    "[DONE] without a finish reason": [[text, done], [...received, "0-"]],
    "a finish reason without [DONE]": [[text, end()], [...received, "0-"]],
    "neither": [[text], [...received, "failure upstream_failed"]],
    "usage alone does not end it": [[text, {
      choices: [],
      usage: { prompt_tokens: 1, completion_tokens: 1 },
    }], [
      ...received,
      "failure upstream_failed",
    ]],
    "a finish reason of nothing": [[text, end(""), end(null)], [...received, "failure upstream_failed"]],
    "an empty answer with a reason": [[end()], []],
    "nothing at all": [[], ["failure upstream_failed"]],
    "[DONE] alone": [[done], ["failure upstream_failed"]],
    "[DONE] after a role": [[chunk({ role: "assistant" }), done], ["failure upstream_failed"]],
    "whatever follows the end is ignored": [[text, end(), done, text, "{", end("length"), done], [
      ...received,
      "0-",
    ]],
    "length": [[text, end("length"), done], [...received, "finish length"]],
    "max_tokens": [[text, end("MAX_TOKENS")], [...received, "finish length"]],
    "content_filter": [[text, end("content_filter")], [...received, "finish content_filter"]],
    "a reason nobody knows": [[text, end("constructor")], [...received, "0-"]],
    "an error as the reason": [[text, end("error")], [...received, "failure upstream_failed"]],
    "bad JSON": [[text, '{"choices":[', end()], [...received, "failure upstream_failed"]],
    "JSON that is no object": [[text, "7"], [...received, "failure upstream_failed"]],
    "a chunk of another shape": [[text, { choices: [{ delta: { content: 5 } }] }], [
      ...received,
      "failure upstream_failed",
    ]],
    "empty frames": [["", text, "", end()], [...received, "0-"]],
  });
});

Deno.test("parseEvents tells an error inside the stream (U3)", (t) => {
  const text = chunk({ content: "a" });
  const limited = { error: { message: "slow down", code: "rate_limit_exceeded" } };
  return table(t, {
    "in the first frame": [[limited], ["failure rate_limited"]],
    "after text": [[text, limited, end()], ["0+message", "0 text0 a", "failure rate_limited"]],
    "with choices": [[{ ...end("error"), error: { code: 502, message: "x" } }], ["failure upstream_failed"]],
    "as text": [[{ error: "context length exceeded" }], ["failure context_length"]],
    "as an object of its own": [[{ object: "error", message: "m", type: "overloaded_error" }], [
      "failure overloaded",
    ]],
    "none": [[{ ...text, error: null }, end()], ["0+message", "0 text0 a", "0-"]],
  });
});

Deno.test("parseEvents fails on a frame named error, whatever it holds (U3)", () => {
  const machine = parseEvents(modelRequest());
  const failure = (data: string) => foldEvents(machine, [{ event: "error", data }])[0];
  const overloaded = { type: "error", error: { type: "overloaded_error", message: "Overloaded" } };
  assert.partialDeepStrictEqual(failure(JSON.stringify(overloaded)), {
    type: "failure",
    failure: { kind: "overloaded", message: "Overloaded", code: "overloaded_error" },
  });
  assert.partialDeepStrictEqual(failure("it broke"), {
    failure: { kind: "upstream_failed", message: "it broke" },
  });
});

Deno.test("parseEvents says who answers, how it was served and what it cost, last count first (U14)", () => {
  const counts = (completion_tokens: number) => ({ prompt_tokens: 5, completion_tokens });
  const events = parse([
    { ...chunk({ content: "a" }), usage: counts(1) },
    { ...chunk({ content: "b" }), usage: null },
    end("stop", { service_tier: "flex" }),
    { choices: [], usage: counts(2) },
    done,
  ]);
  assert.deepEqual(events[0], { type: "begin", upstreamId: "c1", model: "m" });
  assert.partialDeepStrictEqual(events.at(-1), {
    serviceTier: "flex",
    usage: { inputTokens: 5, outputTokens: 2 },
  });
  const without = parse([chunk({ content: "a" }), end()]).at(-1);
  assert.equal(without?.type === "finish" && without.usage, undefined);
  const zero = parse([
    chunk({ content: "a" }),
    end("stop", { usage: { prompt_tokens: 0, completion_tokens: 0 } }),
  ]);
  assert.partialDeepStrictEqual(zero.at(-1), { usage: { inputTokens: 0, outputTokens: 0 } });
  const failed = parse([{ ...chunk({ content: "a" }), usage: counts(1) }]).at(-1);
  assert.partialDeepStrictEqual(failed, { type: "failure", usage: { outputTokens: 1 } });
});

Deno.test("parseEvents seals thoughts with their signature or encrypted text", () => {
  const detail = (fields: JsonObject) => chunk({ reasoning_details: [fields] });
  const sealed = parse([
    detail({ type: "reasoning.text", text: "h", format: "anthropic-claude-v1" }),
    detail({ type: "reasoning.text", text: "m" }),
    detail({ type: "reasoning.text", text: "", signature: "sig" }),
    chunk({ content: "a" }),
    detail({ type: "reasoning.encrypted", data: "late" }),
    end(),
  ]);
  const item = {
    type: "reasoning",
    content: ["hm"],
    summary: [],
    signature: "sig",
    format: "anthropic-claude-v1",
  };
  const whole = sealed.find((event) => event.type === "item_done");
  assert.deepEqual(whole, { type: "item_done", itemKey: 0, item: { ...item, encrypted: undefined } });
  assert.deepEqual(short(sealed).slice(-4), ["1+message", "1 text0 a", "1-", "finish stop"]);
  const [, opened, closed] = parse([
    detail({ type: "reasoning.encrypted", data: "xyz" }),
    chunk({ content: "a" }),
    end(),
  ]);
  assert.equal(opened?.type, "item");
  assert.partialDeepStrictEqual(closed, { type: "item_done", item: { type: "reasoning", encrypted: "xyz" } });
});

Deno.test("parseEvents passes logprobs on with the text they came with", () => {
  const token = {
    token: "a",
    logprob: -0.5,
    bytes: [97],
    top_logprobs: [{ token: "b", logprob: -1, bytes: null }],
  };
  const events = parse([chunk({ content: "a" }, { logprobs: { content: [token], refusal: null } }), end()]);
  assert.deepEqual(events[2], {
    type: "text",
    itemKey: 0,
    part: 0,
    delta: "a",
    logprobs: [{ token: "a", logprob: -0.5, bytes: [97], top_logprobs: [{ token: "b", logprob: -1 }] }],
  });
});

Deno.test("parseEvents tells citations with the text they belong to", () => {
  const cited = {
    type: "url_citation",
    url_citation: { url: "https://a.example", title: "A", start_index: 0, end_index: 1 },
  };
  const annotation = {
    type: "url_citation",
    url: "https://a.example",
    title: "A",
    start_index: 0,
    end_index: 1,
  };
  const after = parse([chunk({ content: "a" }), chunk({ annotations: [cited, { type: "file" }] }), end()]);
  assert.deepEqual(after[3], { type: "annotation", itemKey: 0, part: 0, annotation });
  const before = parse([chunk({ annotations: [cited] }), chunk({ content: "a" }), end()]);
  assert.deepEqual(before.map(({ type }) => type), [
    "begin",
    "item",
    "text",
    "annotation",
    "item_done",
    "finish",
  ]);
  const bare = { type: "url_citation", url_citation: { url: "https://b.example" } };
  assert.partialDeepStrictEqual(parse([chunk({ content: "a", annotations: [bare] }), end()])[3], {
    annotation: { title: "", start_index: 0, end_index: 0 },
  });
});

Deno.test("parseEvents tells pictures as image items", () => {
  const image = (url: string) => ({ type: "image_url", image_url: { url } });
  const images = [
    image("data:image/png;base64,iVBOR"),
    image("https://a.example/x.png"),
    image("data:text/plain,x"),
  ];
  const events = parse([chunk({ content: "Here" }), chunk({ images }), end()]);
  assert.deepEqual(short(events), [
    "begin",
    "0+message",
    "0 text0 Here",
    "0-",
    "1+foreign",
    "1-",
    "finish stop",
  ]);
  assert.partialDeepStrictEqual(events[5], {
    item: {
      type: "foreign",
      wire: "responses",
      kind: "image_generation_call",
      value: { type: "image_generation_call", status: "completed", result: "iVBOR", output_format: "png" },
    },
  });
});
