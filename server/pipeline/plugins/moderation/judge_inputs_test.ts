import assert from "node:assert/strict";
import { responsesInbound } from "../../../protocols/responses/inbound/mod.ts";
import { pause } from "../../../../shared/util/pause.ts";
import { runWork } from "../../../../shared/util/run_work.ts";
import { judgeInputs, moderationCalls } from "./judge_inputs.ts";
import { moderationInputs } from "./moderation_inputs.ts";
import type { AskModeration, ModerationService } from "./moderation_service.ts";
import type { ModerationInput } from "./wires/wire.ts";

const text = (content: string): ModerationInput => ({ type: "text", text: content });

const readFrom = async (body: Record<string, unknown>, withImages = true) => {
  const { request } = responsesInbound.parseRequest({ model: "local/echo", ...body }, {});
  const clock = { monotonic: () => 0 };
  return await runWork(moderationInputs(request, { withImages }), { clock, pause });
};

Deno.test("moderationInputs has every text that the client has sent, each once, and images", async () => {
  const url = "data:image/png;base64,iVBORw0KGgo=";
  const { inputs, unread } = await readFrom({
    instructions: "be kind",
    input: [
      { role: "user", content: "first" },
      { role: "assistant", content: "second" },
      { role: "user", content: "first" },
      {
        role: "user",
        content: [{ type: "input_text", text: "third" }, { type: "input_image", image_url: url }],
      },
      { type: "function_call", call_id: "c", name: "look", arguments: '{"what": "fourth"}' },
      { type: "function_call_output", call_id: "c", output: "fifth" },
    ],
    tools: [{ type: "function", name: "look", description: "sixth", parameters: {} }],
  });
  const texts = inputs.flatMap((input) => input.type === "text" ? [input.text] : []);
  for (const word of ["be kind", "first", "second", "third", "fourth", "fifth", "sixth"]) {
    assert.equal(texts.filter((one) => one.includes(word)).length, 1, word);
  }
  assert.deepEqual(inputs.filter(({ type }) => type === "image"), [{ type: "image", url }]);
  assert.equal(unread, 0);
  const image = [{ role: "user", content: [{ type: "input_image", image_url: url }] }];
  assert.deepEqual(await readFrom({ input: image }, false), { inputs: [], unread: 1 });
});

Deno.test("moderationInputs cuts a long text into parts that overlap, and no character in two", async () => {
  const long = Array.from({ length: 10_000 }, (_, at) => `${at}\u{1f600}`).join("");
  const { inputs } = await readFrom({ input: long });
  const parts = inputs.flatMap((input) => input.type === "text" ? [input.text] : []);
  assert.ok(parts.length >= 5);
  for (const part of parts) {
    assert.ok(part.length <= 8_000 && part.isWellFormed());
    assert.ok(long.includes(part));
  }
  for (let at = 100; at < long.length - 100; at += 4_000) {
    const piece = long.slice(at, at + 100).toWellFormed().replaceAll("\ufffd", "");
    assert.ok(parts.some((part) => part.includes(piece)), String(at));
  }
});

Deno.test("moderationCalls bounds texts and characters of a call, and sends an image alone", () => {
  const many = Array.from({ length: 70 }, (_, at) => text(String(at)));
  assert.deepEqual(moderationCalls(many, { textsAtOnce: 32 }).map(({ length }) => length), [32, 32, 6]);
  const large = Array.from({ length: 20 }, () => text("x".repeat(8_000)));
  assert.deepEqual(moderationCalls(large, { textsAtOnce: 32 }).map(({ length }) => length), [8, 8, 4]);
  const image: ModerationInput = { type: "image", url: "https://example.com/a.png" };
  assert.deepEqual(moderationCalls([text("a"), image, image], { textsAtOnce: 32 }), [
    [text("a")],
    [image],
    [image],
  ]);
});

const scored = (texts: unknown) => ({
  results: (Array.isArray(texts) ? texts : []).map((one: unknown) => {
    const violence = String(one).includes("bad") ? 0.9 : 0;
    return { categories: { violence: violence > 0.5 }, category_scores: { violence } };
  }),
});

const serviceWith = (ask: AskModeration): ModerationService => ({
  wire: "openai",
  model: "m",
  name: "Service",
  thresholds: new Map(),
  policy: undefined,
  fail: "closed",
  price: undefined,
  ask,
});

const never = new AbortController().signal;

async function judged(
  contents: readonly string[],
  { ask, signal = never }: { readonly ask: AskModeration; readonly signal?: AbortSignal },
) {
  const passed: ModerationInput[] = [];
  const calls = moderationCalls(contents.map(text), { textsAtOnce: 1 });
  const onPassed = (input: ModerationInput) => void passed.push(input);
  return {
    judgement: await judgeInputs(calls, { service: serviceWith(ask), signal, onAnswer: () => {}, onPassed }),
    passed,
  };
}

Deno.test("judgeInputs passes what every call lets through, and flags by the input", async () => {
  const ask: AskModeration = ({ body }) => Promise.resolve(scored(body.input));
  const ok = await judged(["a", "b", "c", "d", "e", "f"], { ask });
  assert.deepEqual([ok.judgement, ok.passed.length], [{ type: "passed" }, 6]);
  const { judgement } = await judged(["a", "b", "c", "d", "e", "a bad one"], { ask });
  assert.deepEqual(judgement, { type: "flagged", input: text("a bad one"), reasons: ["violence"] });
});

Deno.test("judgeInputs tells what is flagged where another call fails, and a failure where none is", async () => {
  const ask: AskModeration = ({ body }) =>
    JSON.stringify(body).includes("broken")
      ? Promise.reject(new Error("no"))
      : Promise.resolve(scored(body.input));
  assert.equal((await judged(["broken", "a", "b", "c", "d", "bad"], { ask })).judgement.type, "flagged");
  assert.equal((await judged(["a", "b", "c", "d", "broken", "e"], { ask })).judgement.type, "failed");
});

Deno.test("judgeInputs leaves no call out after the time is over without failing", async () => {
  const abort = new AbortController();
  const ask: AskModeration = ({ body }, signal) => {
    signal.throwIfAborted();
    abort.abort(new Error("late"));
    return Promise.resolve(scored(body.input));
  };
  const { judgement } = await judged(Array.from({ length: 9 }, (_, at) => String(at)), {
    ask,
    signal: abort.signal,
  });
  assert.equal(judgement.type, "failed");
});

Deno.test("judgeInputs remembers nothing of a call with a flagged input or one without a verdict", async () => {
  const passed: ModerationInput[] = [];
  const replies: readonly (readonly [unknown, string])[] = [
    [{ results: [null, ...scored(["bad", "c"]).results] }, "flagged"],
    [{ results: [...scored(["a", "b"]).results, null] }, "failed"],
  ];
  for (const [reply, type] of replies) {
    const judgement = await judgeInputs([["a", "bad", "c"].map(text)], {
      service: serviceWith(() => Promise.resolve(reply)),
      signal: never,
      onAnswer: () => {},
      onPassed: (input) => void passed.push(input),
    });
    assert.equal(judgement.type, type);
  }
  assert.deepEqual(passed, []);
});
