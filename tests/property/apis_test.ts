import assert from "node:assert/strict";
import Anthropic from "@anthropic-ai/sdk";
import fc from "fast-check";
import OpenAI from "openai";
import type { ModelEvent } from "../../server/protocols/canonical/event.ts";
import { chatInbound } from "../../server/protocols/chat/inbound/mod.ts";
import { messagesInbound } from "../../server/protocols/messages/inbound/mod.ts";
import type { Inbound, InboundContext } from "../../server/protocols/wire.ts";
import { runMachine, type Source, sourceFrom } from "../../server/protocols/stream/source.ts";
import type { Json } from "../mocks/published.ts";
import { chatPlan, responsesPlan, splits } from "./plans.ts";
import { inChunks, wires } from "./translate.ts";
import { assertProperty, runs } from "../support/property.ts";
import { seed } from "../support/seed.ts";

const model = "mock/model";
const messages = [{ role: "user" as const, content: "Hi" }];
const plain = (value: unknown) => JSON.parse(JSON.stringify(value));

function contextOf<Echo>(prefix: string, echo: Echo): InboundContext<Echo> {
  return {
    echo,
    responseId: `${prefix}1`,
    suffix: "1",
    createdAt: 1_750_000_000,
    model: () => model,
    completionInfo: () => ({ completedAt: 1_750_000_001, extra: {}, usage: {} }),
    takeDebugBodies: () => [],
    strictEvents: false,
    include: [],
  };
}

interface Api {
  readonly stream: (events: Source<ModelEvent>) => Promise<string>;
  readonly whole: (events: readonly ModelEvent[]) => Json;
  /** Accumulates a stream by the official client. */
  readonly accumulated: (text: string, sizes: readonly number[]) => Promise<unknown>;
  /** The part of a whole answer that the accumulator must come to. */
  readonly essence: (answer: Json) => unknown;
}

interface ApiParts<Echo> extends Pick<Api, "accumulated" | "essence"> {
  readonly echo: Echo;
}

function apiOf<Echo, State, Event>(inbound: Inbound<Echo, State, Event>, parts: ApiParts<Echo>): Api {
  const context = contextOf(inbound.idPrefix, parts.echo);
  return {
    ...parts,
    whole: (events) => inbound.renderResponse(context, events),
    stream: async (events) => {
      const source = runMachine(inbound.renderEvents(context), events);
      const all: Event[] = [];
      for (let batch = await source.pull(); batch !== undefined; batch = await source.pull()) {
        all.push(...batch);
      }
      assert.deepEqual(
        all.map(inbound.isLastEvent),
        all.map((_, at) => at === all.length - 1),
        "one end, last",
      );
      return all.map(inbound.frame).join("") + inbound.terminator;
    },
  };
}

function answering(text: string, sizes: readonly number[]): () => Promise<Response> {
  return () => {
    const read = inChunks(new TextEncoder().encode(text), sizes);
    const body = new ReadableStream<Uint8Array>({
      pull: async (controller) => {
        const chunk = await read();
        if (chunk === undefined) controller.close();
        else controller.enqueue(chunk);
      },
    });
    return Promise.resolve(new Response(body, { headers: { "content-type": "text/event-stream" } }));
  };
}

const options = { apiKey: "k", baseURL: "http://mock", maxRetries: 0 };

/** Leaves out what no accumulator of OpenAI's adds up: it knows nothing of reasoning, citations and images. */
function essenceOfChat({ id, model, choices, usage }: Json) {
  const [{ message, finish_reason }] = plain(choices);
  const { content, refusal, tool_calls = null } = message;
  const received = { content: content || null, refusal: refusal || null, tool_calls };
  return { id, model, finish_reason, ...received, usage: usage ?? null };
}

const apis: Readonly<Record<string, Api>> = {
  chat: apiOf(chatInbound, {
    echo: { hideReasoning: false },
    essence: essenceOfChat,
    accumulated: async (text, sizes) => {
      const client = new OpenAI({ ...options, fetch: answering(text, sizes) });
      return essenceOfChat(
        plain(await client.chat.completions.stream({ model, messages }).finalChatCompletion()),
      );
    },
  }),
  messages: apiOf(messagesInbound, {
    echo: { omitReasoning: false },
    essence: (answer) => answer,
    accumulated: async (text, sizes) => {
      const client = new Anthropic({ ...options, fetch: answering(text, sizes) });
      const message = await client.messages.stream({ model, messages, max_tokens: 10 }).finalMessage();
      const { parsed_output: _parsed, ...rest } = plain(message);
      return rest;
    },
  }),
};

const plans = { responses: responsesPlan, chat: chatPlan };

for (const [name, api] of Object.entries(apis)) {
  for (const wire of ["responses", "chat"] as const) {
    const { stream, whole, events, answer } = wires[wire];

    Deno.test(`S5 ${name} door, ${wire} wire: its client adds up the stream to the whole answer (SEED=${seed})`, async () => {
      const property = fc.asyncProperty(plans[wire], splits, async (plan, sizes) => {
        const bytes = new TextEncoder().encode(stream(plan));
        const text = await api.stream(events(inChunks(bytes, sizes)));
        const all = plain(api.whole(answer(plain(whole(plan)))));
        if (JSON.stringify(all).includes("INVALID_JSON")) return;
        assert.deepEqual(await api.accumulated(text, sizes), plain(api.essence(all)));
      });
      await assertProperty(property, { numRuns: runs(60) });
    });

    Deno.test(`S1 ${name} door, ${wire} wire: a stream cut anywhere ends, once (SEED=${seed})`, async () => {
      const share = fc.double({ min: 0, max: 1, noNaN: true });
      const property = fc.asyncProperty(plans[wire], splits, share, async (plan, sizes, cutAt) => {
        const bytes = new TextEncoder().encode(stream(plan));
        await api.stream(events(inChunks(bytes.subarray(0, Math.floor(bytes.length * cutAt)), sizes)));
      });
      await assertProperty(property, { numRuns: runs(80) });
    });
  }
}

const itemKey = fc.nat(3);
const delta = fc.string({ maxLength: 4 });
const part = fc.nat(2);

/** Items of every kind whose events come in any order, twice, or never. */
const loose: fc.Arbitrary<ModelEvent> = fc.oneof(
  fc.record({
    type: fc.constant("item" as const),
    itemKey,
    item: fc.constantFrom(
      { type: "message" as const, role: "assistant" as const, parts: [] },
      { type: "reasoning" as const, summary: [], content: [], signature: "s" },
      { type: "call" as const, kind: "function" as const, callId: "", name: "f", arguments: "" },
      { type: "call" as const, kind: "custom" as const, callId: "c", name: "g", arguments: "" },
    ),
  }),
  fc.record({ type: fc.constantFrom("text", "refusal", "thought", "summary"), itemKey, part, delta }),
  fc.record({ type: fc.constant("arguments" as const), itemKey, delta }),
  fc.record({ type: fc.constant("item_done" as const), itemKey }),
  fc.record({ type: fc.constant("finish" as const), reason: fc.constantFrom("stop", "length") }),
);

for (const [name, api] of Object.entries(apis)) {
  Deno.test(`S5 ${name} door: events in any order make a stream that its client can read (SEED=${seed})`, async () => {
    const property = fc.asyncProperty(fc.array(loose, { maxLength: 40 }), async (events) => {
      const all: ModelEvent[] = [...events, { type: "finish", reason: "stop" }];
      const text = await api.stream(sourceFrom(all));
      const whole = plain(api.whole(all));
      if (name === "messages") assertNested(text);
      if (JSON.stringify(whole).includes("INVALID_JSON")) return;
      assert.deepEqual(await api.accumulated(text, [7]), plain(api.essence(whole)));
    });
    await assertProperty(property, { numRuns: runs(200) });
  });
}

/** Blocks follow one another: started, grown and stopped under one number, without gaps. */
function assertNested(text: string): void {
  let open: unknown;
  let next = 0;
  for (
    const { type, index } of text.split("\n\n").filter(Boolean).map((one) =>
      JSON.parse(one.split("data: ")[1] ?? "")
    )
  ) {
    if (type === "content_block_start") {
      assert.deepEqual([open, index], [undefined, next++]);
      open = index;
    }
    if (type === "content_block_delta" || type === "content_block_stop") assert.equal(index, open);
    if (type === "content_block_stop") open = undefined;
  }
  assert.equal(open, undefined);
}
