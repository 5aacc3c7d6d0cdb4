/** Conversations made to cost time or to be cut in the wrong place. Work is counted in characters, never in time. */

import assert from "node:assert/strict";
import { loadedForTest } from "../../../tests/support/tokenizer.ts";
import { modelRequest } from "../../../tests/support/requests.ts";
import type { ContentPart, Item } from "../../protocols/canonical/item.ts";
import type { ModelRequest } from "../../protocols/canonical/request.ts";
import { type Compression, compressRequest } from "./compress_request.ts";
import { ItemCounter } from "./counted_unit.ts";
import { tokenMeasure } from "./token_measure.ts";

const tokenizer = await loadedForTest();
const prose = "lorem ipsum dolor sit amet const x = 1; ";

const message = (role: "user" | "assistant" | "system", ...texts: readonly string[]): Item => ({
  type: "message",
  role,
  parts: texts.map((text): ContentPart => ({ type: "text", text })),
});
const call = (callId: string, text = "{}"): Item => ({
  type: "call",
  kind: "function",
  callId,
  name: "read",
  arguments: text,
});
const result = (callId: string, output = prose.repeat(60)): Item => ({
  type: "result",
  kind: "function",
  callId,
  output,
});
const task = message("user", "The task");
const times = <T>(count: number, of: (at: number) => T): readonly T[] =>
  Array.from({ length: count }, (_, at) => of(at));

interface Case {
  readonly input: readonly Item[];
  readonly fields?: Partial<ModelRequest>;
  readonly tokens?: number;
  readonly type?: Compression["type"];
}

const cases: Readonly<Record<string, Case>> = {
  "300 calls one by one": { input: [task, ...times(300, (at) => [call(`c${at}`), result(`c${at}`)]).flat()] },
  "300 calls side by side": {
    input: [task, ...times(300, (at) => call(`c${at}`)), ...times(300, (at) => result(`c${at}`))],
    tokens: 32_000,
  },
  "300 calls side by side, and too little room": {
    input: [task, ...times(300, (at) => call(`c${at}`)), ...times(300, (at) => result(`c${at}`))],
    type: "too_long",
  },
  "a call whose result comes at the end of 200 others": {
    input: [task, call("a"), ...times(200, (at) => [call(`c${at}`), result(`c${at}`)]).flat(), result("a")],
    tokens: 32_000,
  },
  "one message of 2 MB": { input: [message("user", prose.repeat(50_000))] },
  "families of emoji": { input: [message("user", "👩‍👩‍👧‍👦".repeat(100_000))] },
  "flags": { input: [message("user", "🇩🇪".repeat(300_000))] },
  "marks on one letter": { input: [message("user", `a${"\u0301".repeat(1_000_000)}`)] },
  "text from right to left": { input: [message("user", "مرحبا بالعالم ".repeat(80_000))] },
  "lines without words": { input: [message("user", "\n".repeat(1_000_000))] },
  "halves of characters": { input: [message("user", "\ud800".repeat(300_000))] },
  "a system prompt that is longer than the context": {
    input: [message("system", prose.repeat(50_000)), message("user", "Hi")],
    type: "too_long",
  },
  "arguments that are longer than the context": {
    input: [task, call("a", JSON.stringify({ text: prose.repeat(50_000) })), result("a")],
    type: "too_long",
  },
  "such arguments long ago": {
    input: [
      task,
      call("a", JSON.stringify({ text: prose.repeat(50_000) })),
      result("a"),
      ...times(12, (at) => message(at % 2 === 0 ? "user" : "assistant", `ok ${at}`)),
    ],
  },
  "20,000 parts, every hundredth of them long": {
    input: [message("user", ...times(20_000, (at) => at % 100 === 0 ? prose.repeat(40) : `p${at}`))],
    tokens: 80_000,
  },
  "20,000 messages": {
    input: times(20_000, (at) => message(at % 2 === 0 ? "user" : "assistant", `ok ${at}`)),
  },
  "5,000 empty messages": { input: times(5_000, () => message("user", "")) },
};

for (const [name, { input, fields, tokens = 8_000, type = "compressed" }] of Object.entries(cases)) {
  Deno.test(`compressRequest counts little of ${name}, and pauses`, () => {
    const count = tokenMeasure(() => tokenizer, "");
    let counted = 0;
    const counter = new ItemCounter((piece) => (counted += piece.length, count(piece)), "");
    const request = modelRequest({ input, ...fields });
    const run = () =>
      compressRequest({ request, mode: "middle-out", limits: { tokens, messages: Infinity }, counter });
    let most = 0;
    const work = run();
    let step = work.next();
    for (let before = 0; step.done !== true; step = work.next()) {
      most = Math.max(most, counted - before);
      before = counted;
    }
    assert.equal(step.value.type, type);
    assert(most <= 20_000, `${most} characters without a pause`);
    // A token of white space has up to 128 characters; most have six at most, and each text is counted twice.
    const dense = name === "lines without words" ? 128 : 12;
    assert(counted <= tokens * dense * 4, `${counted} characters for ${tokens} tokens`);
    if (step.value.type !== "compressed") return;
    for (const item of step.value.request.input) {
      const text = item.type === "message"
        ? item.parts.map((part) => "text" in part ? part.text : "").join("")
        : "";
      assert(name === "halves of characters" || text.isWellFormed(), "cut between two halves of a character");
    }
  });
}
