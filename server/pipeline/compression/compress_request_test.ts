import assert from "node:assert/strict";
import { modelRequest } from "../../../tests/support/requests.ts";
import { runNow } from "../../../shared/util/run_work.ts";
import type { Item } from "../../protocols/canonical/item.ts";
import type { ModelRequest } from "../../protocols/canonical/request.ts";
import { type Compression, compressRequest, fitsByLength } from "./compress_request.ts";
import type { CompressionMode } from "./compression_mode.ts";
import { ItemCounter } from "./counted_unit.ts";

/** Words are tokens here. */
const counter = () => new ItemCounter((piece) => piece.split(/\s+/).filter((word) => word !== "").length, "");

interface Limits {
  readonly tokens?: number;
  readonly messages?: number;
  readonly mode?: CompressionMode;
  readonly fields?: Partial<ModelRequest>;
}

function compress(
  input: readonly Item[],
  { tokens = Infinity, messages = Infinity, mode = "middle-out", fields = {} }: Limits,
): Compression {
  const request = modelRequest({ input, ...fields });
  return runNow(compressRequest({ request, mode, limits: { tokens, messages }, counter: counter() }));
}

const message = (role: "user" | "assistant" | "system", text: string): Item => ({
  type: "message",
  role,
  parts: [{ type: "text", text }],
});
const words = (name: string, count: number) =>
  Array.from({ length: count }, (_, at) => `${name}${at}`).join(" ");
/** Messages of ten words each, which are 14 tokens with the frame. */
const chat = (count: number): readonly Item[] =>
  Array.from(
    { length: count },
    (_, at) => message(at % 2 === 0 ? "user" : "assistant", words(`m${at}.`, 10)),
  );

/** Places in the input of what stays. */
function keptOf(input: readonly Item[], compression: Compression): readonly number[] {
  assert.equal(compression.type, "compressed");
  return compression.type === "compressed"
    ? compression.request.input.map((item) => input.indexOf(item))
    : [];
}

Deno.test("compressRequest leaves a request alone that fits", () => {
  assert.deepEqual(compress(chat(4), { tokens: 1_000 }), { type: "fits" });
});

Deno.test("compressRequest takes messages out of the middle: both ends and the newest quarter stay", () => {
  const input = chat(16);
  const kept = keptOf(input, compress(input, { tokens: 9 * 14 }));
  assert.deepEqual(kept, [0, 1, 2, 3, 12, 13, 14, 15]);
});

Deno.test("compressRequest with truncation auto takes the oldest", () => {
  const input = [message("system", "be kind"), ...chat(16)];
  const kept = keptOf(input, compress(input, { tokens: 4 + 6 + 5 * 14, mode: "oldest-first" }));
  assert.deepEqual(kept, [0, 12, 13, 14, 15, 16]);
});

Deno.test("compressRequest never leaves out instructions, the first message of the user or the last", () => {
  const calls = Array.from({ length: 20 }, (_, at): readonly Item[] => [
    { type: "call", kind: "function", callId: `c${at}`, name: "f", arguments: "{}" },
    { type: "result", kind: "function", callId: `c${at}`, output: words("r", 10) },
  ]).flat();
  const input = [
    message("system", "be kind"),
    message("user", "first"),
    ...chat(4),
    message("user", "last"),
    ...calls,
  ];
  const middle = keptOf(input, compress(input, { tokens: 300 }));
  for (const at of [0, 1, 6]) assert(middle.includes(at), `${at} is gone of ${middle}`);
  const oldest = keptOf(input, compress(input, { tokens: 300, mode: "oldest-first" }));
  for (const at of [0, 6]) assert(oldest.includes(at), `${at} is gone of ${oldest}`);
  assert.equal(oldest.includes(1), false);
});

Deno.test("compressRequest cuts the longest texts where whole messages are not enough", () => {
  const input = [
    message("user", words("long", 5_000)),
    message("assistant", "Fine."),
    message("user", "And now?"),
  ];
  const compression = compress(input, { tokens: 500 });
  assert(compression.type === "compressed");
  assert.equal(compression.shortened, 1);
  assert.deepEqual([compression.original, compression.compressed], [3, 2]);
  assert.deepEqual(compression.request.input.slice(1), input.slice(2), "short texts stay as they are");
  const [first] = compression.request.input;
  assert(first?.type === "message" && first.parts[0]?.type === "text");
  const { text } = first.parts[0];
  assert.match(text, /^long0 long1 /);
  assert.match(text, /\[\.\.\. \d+ characters left out \.\.\.\]/);
  assert.match(text, / long4998 long4999$/);
  const left = text.split(/\s+/).length;
  assert(left > 400 && left < 500, `${left} words are left`);
});

Deno.test("compressRequest keeps marks for the cache on a text that it cuts, and no places that are gone", () => {
  const input: readonly Item[] = [message("user", "Go on."), {
    type: "message",
    role: "assistant",
    parts: [{
      type: "text",
      text: words("long", 2_000),
      cache: { ttl: "1h" },
      annotations: [{ type: "url_citation", start_index: 9_000, end_index: 9_010 }],
    }],
  }];
  const compression = compress(input, { tokens: 200 });
  assert(compression.type === "compressed");
  const [, item] = compression.request.input;
  assert(item?.type === "message" && item.parts[0]?.type === "text");
  assert.deepEqual(item.parts[0].cache, { ttl: "1h" });
  assert.equal(item.parts[0].annotations, undefined);
});

Deno.test("compressRequest says that nothing helps: instructions or tools alone are too long, and a text under auto", () => {
  const tools: ModelRequest["tools"] = [{
    type: "function",
    name: "f",
    description: words("d", 600),
    parameters: null,
  }];
  assert.equal(
    compress(chat(4), { tokens: 500, fields: { instructions: words("i", 600) } }).type,
    "too_long",
  );
  assert.equal(compress(chat(4), { tokens: 500, fields: { tools } }).type, "too_long");
  assert.equal(compress([message("system", words("s", 600)), ...chat(4)], { tokens: 500 }).type, "too_long");
  const one = [message("user", words("long", 600))];
  assert.equal(compress(one, { tokens: 500, mode: "oldest-first" }).type, "too_long");
  assert.equal(compress(one, { tokens: 500 }).type, "compressed");
});

Deno.test("compressRequest keeps half of the messages from the start and half from the end where they are too many", () => {
  const input = chat(1_201);
  const kept = keptOf(input, compress(input, { messages: 1_000 }));
  assert.equal(kept.length, 1_000);
  assert.deepEqual(kept.slice(0, 500), Array.from({ length: 500 }, (_, at) => at));
  assert.deepEqual(kept.slice(500), Array.from({ length: 500 }, (_, at) => 701 + at));
  const newest = keptOf(input, compress(input, { messages: 1_000, mode: "oldest-first" }));
  assert.deepEqual(newest, Array.from({ length: 1_000 }, (_, at) => 201 + at));
});

Deno.test("fitsByLength knows without counting that a short request fits", () => {
  const measure = () => assert.fail("a text was counted");
  const fits = (tokens: number) =>
    runNow(fitsByLength({
      request: modelRequest({ input: chat(4) }),
      limits: { tokens, messages: Infinity },
      counter: new ItemCounter(measure, ""),
    }));
  assert.equal(fits(1_000), true);
  assert.equal(fits(100), false);
});

Deno.test("what is counted of a long conversation grows with what stays, not with what is left out", () => {
  let counted = 0;
  const measure = (piece: string) => (counted += piece.length, Math.ceil(piece.length / 4));
  const input = Array.from(
    { length: 2_000 },
    (_, at) => message(at % 2 === 0 ? "user" : "assistant", "x".repeat(2_000)),
  );
  const request = modelRequest({ input });
  const limits = { tokens: 8_000, messages: Infinity };
  const work = compressRequest({
    request,
    mode: "middle-out",
    limits,
    counter: new ItemCounter(measure, ""),
  });
  let pauses = 0;
  let most = 0;
  let before = 0;
  for (let step = work.next(); step.done !== true; step = work.next()) {
    pauses++;
    most = Math.max(most, counted - before);
    before = counted;
  }
  assert(counted < 1_500_000, `${counted} of 4,000,000 characters were counted`);
  assert(most < 10_000, `${most} characters were counted without a pause`);
  assert(pauses > 100, `${pauses} pauses`);
});
