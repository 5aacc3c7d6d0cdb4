/** Reasoning returns to who can read it. */

import assert from "node:assert/strict";
import { ApiError } from "../../shared/errors.ts";
import type { ModelEvent } from "../../server/protocols/canonical/event.ts";
import { encodeReasoning } from "../../server/protocols/canonical/encrypted_reasoning.ts";
import type { Item, PassthroughItem, ReasoningItem } from "../../server/protocols/canonical/item.ts";
import type { Endpoint } from "../../server/providers/endpoint.ts";
import { UpstreamError } from "../../server/pipeline/routing/upstream_error.ts";
import { endpointAt, routing } from "./rig.ts";

const thought = (encrypted: string): ReasoningItem => ({
  type: "reasoning",
  id: "rs_1",
  summary: ["s"],
  content: [],
  encrypted,
});
const compaction = (encrypted: string): PassthroughItem => ({
  type: "foreign",
  wire: "responses",
  kind: "compaction",
  value: { type: "compaction", encrypted_content: encrypted },
});

function answering(item: ReasoningItem | PassthroughItem) {
  return (): readonly ModelEvent[] => [
    { type: "begin" },
    { type: "item", itemKey: 0, item: item.type === "reasoning" ? { ...item, encrypted: undefined } : item },
    { type: "item_done", itemKey: 0, item },
    { type: "finish", reason: "stop" },
  ];
}

const endpoints = ["p0", "p1", "p2", "p3"].map((slug) => endpointAt(slug, { usd: slug === "p0" ? 0.1 : 1 }));

/** The item as the client of an answer by this endpoint holds it. */
async function heldFrom(endpoint: Endpoint, item: ReasoningItem | PassthroughItem): Promise<Item> {
  const { events } = await routing({ endpoints: [endpoint], at: answering(item) }).send({});
  const done = events.findLast((event) => event.type === "item_done");
  assert(done?.type === "item_done" && done.item !== undefined);
  return done.item;
}

const encryptedOf = (input: readonly Item[] | undefined) =>
  input?.map((item) => item.type === "reasoning" ? item.encrypted : Object(item).value.encrypted_content);

for (const at of endpoints.keys()) {
  Deno.test(`reasoning with a cipher goes back to p${at}, byte for byte, in any session`, async () => {
    const home = endpoints[at];
    assert(home);
    const held = await heldFrom(home, thought("cipher=="));
    assert.notDeepEqual(held, thought("cipher=="));
    const { send } = routing({ endpoints });
    for (let session = 0; session < 20; session++) {
      const { called, sent } = await send({ sessionId: `s${session}`, input: [held] });
      assert.equal(called[0]?.id, home.id);
      assert.deepEqual(encryptedOf(sent?.input), ["cipher=="]);
    }
  });
}

Deno.test("reasoning reaches another provider without its cipher while its maker fails, and says so", async () => {
  const [, home] = endpoints;
  assert(home);
  const held = await heldFrom(home, thought("cipher=="));
  const { send } = routing({
    endpoints,
    at: (endpoint) => {
      if (endpoint.id !== home.id) return undefined;
      throw new UpstreamError({
        endpoint,
        kind: "unavailable",
        status: 503,
        message: "",
        endpointSpecific: false,
      });
    },
  });
  const { called, sent, record } = await send({ input: [held] });
  assert.equal(called.length, 2);
  assert.deepEqual(encryptedOf(sent?.input), [undefined]);
  assert.deepEqual(record.dropped, ["encrypted_content of another provider"]);
});

Deno.test("the last maker is the home of a conversation that has changed hands", async () => {
  const [, one, other] = endpoints;
  assert(one && other);
  const input = [await heldFrom(one, thought("first")), await heldFrom(other, thought("second"))];
  const { called, sent } = await routing({ endpoints }).send({ input });
  assert.equal(called[0]?.id, other.id);
  assert.deepEqual(encryptedOf(sent?.input), [undefined, "second"]);
});

Deno.test("a compaction goes to its maker or to nobody", async () => {
  const [, home] = endpoints;
  assert(home);
  const held = await heldFrom(home, compaction("c"));
  const rig = routing({ endpoints });
  const { called, sent, record } = await rig.send({ input: [held] });
  assert.deepEqual(called.map(({ id }) => id), [home.id]);
  assert.deepEqual(encryptedOf(sent?.input), ["c"]);
  assert.deepEqual(new Set(record.lastTurn.skipped?.map(({ reason: by }) => by)), new Set(["compaction"]));
  const { error } = await routing({ endpoints: endpoints.filter((one) => one !== home) }).send({
    input: [held],
  });
  assert(error instanceof ApiError);
  assert.equal(error.status, 400);
});

Deno.test("a compaction without a mark goes to Responses endpoints, and where there is none the answer is 400", async () => {
  const wires = ["chat", "messages", "gemini", "bedrock"] as const;
  const others = wires.map((wire) => endpointAt(wire, { usd: 0.1, provider: { wire } }));
  const [home] = endpoints;
  assert(home);
  const contextual = { ...compaction("c"), kind: "context_compaction" };
  for (const item of [compaction("c"), compaction(""), contextual]) {
    const { called, sent, record } = await routing({ endpoints: [...others, home] }).send({ input: [item] });
    assert.deepEqual(called.map(({ id }) => id), [home.id]);
    assert.deepEqual(sent?.input, [item]);
    assert.deepEqual(new Set(record.lastTurn.skipped?.map(({ reason: by }) => by)), new Set(["compaction"]));
    const { error } = await routing({ endpoints: others }).send({ input: [item] });
    assert(error instanceof ApiError);
    assert.equal(error.status, 400);
    const { error: only } = await routing({ endpoints: [...others, home] }).send({
      input: [item],
      provider: { only: ["chat"] },
    });
    assert(only instanceof ApiError);
    assert.equal(only.status, 400);
  }
  const empty: PassthroughItem = {
    ...contextual,
    value: { type: "context_compaction", encrypted_content: null },
  };
  const { called } = await routing({ endpoints: others }).send({ input: [empty] });
  assert.equal(called.length, 1);
});

Deno.test("a compaction with the mark of reasoning is 400", async () => {
  const [home] = endpoints;
  assert(home);
  const held = await heldFrom(home, compaction("c"));
  const [encrypted] = encryptedOf([held]) ?? [];
  const forged = compaction(String(encrypted).replace("tg1.", "tg2."));
  const { error } = await routing({ endpoints }).send({ input: [forged] });
  assert(error instanceof ApiError);
  assert.equal(error.status, 400);
});

Deno.test("ciphers that come from elsewhere are passed on as they are, and a signature to every host of its wire", async () => {
  const foreign = thought("gAAAAAB-from-elsewhere");
  const { sent } = await routing({ endpoints }).send({ input: [foreign] });
  assert.deepEqual(sent?.input, [foreign]);
  const [one, other] = ["m0", "m1"].map((slug) => endpointAt(slug, { provider: { wire: "messages" } }));
  assert(one && other);
  const held = await heldFrom(one, thought("redacted"));
  const moved = await routing({ endpoints: [other] }).send({ input: [held] });
  assert.deepEqual(encryptedOf(moved.sent?.input), ["redacted"]);
});

/** Makes reasoning as a client keeps it whose content is in `encrypted_content`, with everything else changed. */
async function contentFrom(endpoint: Endpoint, made: Partial<ReasoningItem>): Promise<ReasoningItem> {
  const item: ReasoningItem = { ...thought("c"), encrypted: undefined, summary: [], content: [], ...made };
  const held = await heldFrom(endpoint, item);
  assert(held.type === "reasoning" && held.origin !== undefined);
  const encrypted = encodeReasoning(held.origin, held);
  assert(encrypted !== undefined);
  const changed = { signature: "changed", format: "changed", content: ["changed"] };
  return { type: "reasoning", id: "rs_1", summary: ["shown"], encrypted, ...changed };
}

/** Every length and every kind of character: lone surrogates, controls, what JSON escapes. */
const texts = ["", "a", "ab", "abc", 'Größe 🚀 \ud83d \u0000\u2028 "\\" \r\n', "x".repeat(100_000)];

Deno.test("reasoning in encrypted_content is restored byte for byte and wins over all other fields", async () => {
  for (const wire of ["messages", "bedrock"] as const) {
    const home = endpointAt("p0", { provider: { wire } });
    for (const text of texts) {
      for (const sealed of [{ signature: "EqQ+/==" }, { encrypted: "RW5j+/==" }]) {
        const made = { content: [text], summary: ["s"], format: "f", ...sealed };
        const held = await contentFrom(home, made);
        const { sent } = await routing({ endpoints: [home] }).send({ input: [held] });
        const restored = {
          type: "reasoning",
          id: "rs_1",
          signature: undefined,
          encrypted: undefined,
          ...made,
        };
        assert.deepEqual(sent?.input, [restored]);
      }
    }
  }
});

Deno.test("of reasoning in encrypted_content another provider gets what is visible, and nothing else", async () => {
  const [home, other] = ["b0", "b1"].map((slug) => endpointAt(slug, { provider: { wire: "bedrock" } }));
  assert(home && other);
  const held = await contentFrom(home, { content: ["secret"], signature: "EqQ" });
  const { sent, record } = await routing({ endpoints: [other] }).send({ input: [held] });
  const visible = { ...held, encrypted: undefined, signature: undefined, format: undefined };
  assert.deepEqual(sent?.input, [visible]);
  assert.deepEqual(record.dropped, ["encrypted_content of another provider"]);
});

Deno.test("Responses providers that take plain reasoning get it back", async () => {
  const quirks = { passKeys: ["reasoning.content"] };
  const home = endpointAt("r0", { provider: { wire: "responses", quirks } });
  for (const encrypted of [undefined, "gAAAAA=="]) {
    const held = await contentFrom(home, { content: ["text"], encrypted });
    const { sent } = await routing({ endpoints: [home] }).send({ input: [held] });
    const [item] = sent?.input ?? [];
    assert(item?.type === "reasoning");
    assert.deepEqual([item.content, item.encrypted], [["text"], encrypted]);
  }
});

Deno.test("chat providers get reasoning back where their row wants it, and no encrypted_content elsewhere", async () => {
  for (const reasoningReplay of ["reasoning_content", "reasoning", "reasoning_details"] as const) {
    const home = endpointAt("c0", { provider: { wire: "chat", quirks: { reasoningReplay } } });
    const held = await contentFrom(home, { content: ["text"] });
    const { sent } = await routing({ endpoints: [home] }).send({ input: [held] });
    const [item] = sent?.input ?? [];
    assert(item?.type === "reasoning");
    assert.deepEqual([item.content, item.summary, item.encrypted], [["text"], [], undefined]);
  }
  const held = await heldFrom(endpointAt("c1", { provider: { wire: "chat" } }), {
    ...thought("c"),
    encrypted: undefined,
  });
  assert(held.type === "reasoning" && held.origin !== undefined);
  assert.equal(encodeReasoning(held.origin, held), undefined);
});

Deno.test("encrypted_content that was changed on the way is left out, and nothing else happens", async () => {
  const home = endpointAt("m0", { provider: { wire: "messages" } });
  const held = await contentFrom(home, { content: ["text"], signature: "EqQ" });
  const { encrypted = "" } = held;
  const mark = encrypted.slice(0, encrypted.lastIndexOf(".") + 1);
  const encode = (text: string) =>
    mark + new TextEncoder().encode(text).toBase64({ alphabet: "base64url", omitPadding: true });
  const changed = [
    encrypted.slice(0, -3),
    `${encrypted}!`,
    mark,
    encode("null"),
    encode("[]"),
    encode('{"thoughts":"text"}'),
    encode('{"thoughts":[1],"__proto__":{"signature":"x"}}'),
    `${mark}_w`,
  ];
  for (const one of changed) {
    const { sent } = await routing({ endpoints: [home] }).send({ input: [{ ...held, encrypted: one }] });
    const [item] = sent?.input ?? [];
    assert(item?.type === "reasoning");
    assert.deepEqual([item.encrypted, item.signature, item.summary], [undefined, undefined, ["shown"]], one);
  }
});

Deno.test("requests and answers without ciphers are the very same objects", async () => {
  const input: readonly Item[] = [{ type: "message", role: "user", parts: [{ type: "text", text: "Hi" }] }];
  const { sent } = await routing({ endpoints }).send({ input });
  assert.equal(sent?.input, input);
});
