/** A picture that was being drawn costs at least one picture, whoever ends the call. */

import assert from "node:assert/strict";
import type { Receipt } from "../../shared/receipts.ts";
import { fakeClock } from "../support/clock.ts";
import { asObject, type Json } from "../support/event_stream.ts";
import { type Gateway, type GatewayOptions, mockModel, startGateway } from "../support/gateway.ts";
import { runOut } from "../support/run_out.ts";
import { frame, openingFrames, scripted } from "../support/scripted.ts";
import { pause, until } from "../support/until.ts";
import { call, newestReceipt, price, pricedAt } from "./rig.ts";

const encoder = new TextEncoder();

interface Drawing {
  readonly name: string;
  readonly wire: "responses" | "chat" | "gemini";
  readonly stream: boolean;
  /** Undefined: the provider has not even begun to answer. */
  readonly frames?: readonly string[];
  readonly model?: Json;
  readonly more?: Json;
  readonly prices: Json;
  /** Nano-USD of one picture. */
  readonly picture: number;
}

const opened = (index: number) =>
  frame({
    type: "response.output_item.added",
    output_index: index,
    item: { type: "image_generation_call", id: `ig_${index}`, status: "in_progress", result: null },
  });

const tool = (options: Json = {}) => ({ tools: [{ type: "image_generation", ...options }] });
const draws = { upstream_id: "gemini-2.5-flash-image", output_modalities: ["text", "image"] };
const byToken = { image_output: "0.00003" };
const byPicture = { output_image: "0.04" };

const drawings: readonly Drawing[] = [
  {
    name: "the image tool by its tokens",
    wire: "responses",
    stream: true,
    frames: [...openingFrames("responses").slice(0, 2), opened(0)],
    more: tool({ quality: "low", size: "1024x1536" }),
    prices: byToken,
    picture: 408 * 30_000,
  },
  {
    name: "the image tool at its best, whose quality nobody chose",
    wire: "responses",
    stream: true,
    frames: [...openingFrames("responses").slice(0, 2), opened(0)],
    more: tool(),
    prices: byToken,
    picture: 4_160 * 30_000,
  },
  {
    name: "two pictures of the image tool by the piece",
    wire: "responses",
    stream: true,
    frames: [...openingFrames("responses").slice(0, 2), opened(0), opened(1)],
    more: tool(),
    prices: byPicture,
    picture: 2 * 40_000_000,
  },
  {
    name: "the image tool of an answer that is not streamed",
    wire: "responses",
    stream: false,
    more: tool({ quality: "medium" }),
    prices: byToken,
    picture: 1_056 * 30_000,
  },
  ...(["chat", "gemini", "responses"] as const).flatMap((wire): readonly Drawing[] =>
    [true, false].flatMap((stream): readonly Drawing[] => [
      {
        name: `a model that draws, by its tokens (${wire}, ${stream ? "streamed" : "whole"})`,
        wire,
        stream,
        frames: stream ? [] : undefined,
        model: draws,
        more: { modalities: ["text", "image"] },
        prices: byToken,
        picture: 1_290 * 30_000,
      },
      {
        name: `a model that draws, by the piece (${wire}, ${stream ? "streamed" : "whole"})`,
        wire,
        stream,
        frames: stream ? [] : undefined,
        model: draws,
        prices: byPicture,
        picture: 40_000_000,
      },
    ])
  ),
];

interface Rig {
  readonly gateway: Gateway;
  readonly requested: () => number;
}

async function withDrawing(
  drawing: Drawing,
  { run, ...options }: Partial<GatewayOptions> & { readonly run: (rig: Rig) => Promise<void> },
): Promise<void> {
  let requested = 0;
  const end = Promise.withResolvers<Response>();
  await using upstream = scripted(() => {
    requested++;
    const { frames } = drawing;
    if (frames === undefined) return end.promise;
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(encoder.encode(frames.join(""))),
    });
    return new Response(body, { headers: { "content-type": "text/event-stream" } });
  });
  const model = {
    ...mockModel,
    max_output_tokens: 20_000,
    ...drawing.model,
    pricing: { ...price, ...drawing.prices },
  };
  const providers = [pricedAt(upstream.baseUrl, { wire: drawing.wire, models: [model] })];
  await using gateway = await startGateway({ ...options, providers });
  try {
    await run({ gateway, requested: () => requested });
  } finally {
    end.resolve(new Response("{}", { status: 500 }));
  }
}

interface Asking {
  readonly key: string;
  readonly signal?: AbortSignal;
}

const ask = (gateway: Gateway, { stream, more }: Drawing, { key, signal }: Asking) =>
  call(gateway, { key, stream, text: "Draw a cat", more, signal });

function assertPaid(receipt: Receipt, { picture }: Drawing): void {
  const words = `${receipt.cost} of ${picture}`;
  assert(receipt.cost >= picture, words);
  assert(receipt.cost <= 1.2 * picture + 2_000_000, words);
  assert(receipt.cost <= receipt.reserved, `${words}, reserved ${receipt.reserved}`);
  assert.equal(receipt.estimated, true);
}

/** Reads what is there of an answer through the gateway before it is cut. */
async function reading(going: Promise<Response>, { frames = [] }: Drawing): Promise<void> {
  if (frames.length === 0) return await pause(150);
  const reader = (await going).body?.getReader();
  await reader?.read();
  reader?.read().catch(() => {
    // It is cut below.
  });
}

for (const drawing of drawings) {
  Deno.test(`who disconnects pays the picture that was being drawn: ${drawing.name}`, async () => {
    await withDrawing(drawing, {
      run: async ({ gateway, requested }) => {
        const key = await gateway.addKey({ kind: "api", limit: 100 });
        const leave = new AbortController();
        const going = ask(gateway, drawing, { key, signal: leave.signal });
        going.catch(() => {
          // It is aborted below.
        });
        await until(() => requested() > 0, { what: "that the provider is asked" });
        await reading(going, drawing);
        leave.abort();
        const receipt = await newestReceipt(gateway);
        assert.equal(receipt.status, "cancelled");
        assertPaid(receipt, drawing);
      },
    });
  });
}

for (const drawing of drawings.filter(({ frames }) => frames === undefined || frames.length > 0)) {
  Deno.test(`a call that runs out of time costs the picture that was being drawn: ${drawing.name}`, async () => {
    const clock = fakeClock();
    await withDrawing(drawing, {
      clock,
      run: async ({ gateway, requested }) => {
        const key = await gateway.addKey({ kind: "api", limit: 100 });
        const going = ask(gateway, drawing, { key }).then((response) => response.text());
        await runOut(going, { clock, once: () => requested() > 0 });
        const receipt = await newestReceipt(gateway);
        assert.equal(receipt.status, "failed");
        assertPaid(receipt, drawing);
      },
    });
  });

  Deno.test(`disabling a key with abort costs the picture that was being drawn: ${drawing.name}`, async () => {
    await withDrawing(drawing, {
      run: async ({ gateway, requested }) => {
        const headers = {
          authorization: `Bearer ${gateway.managementKey}`,
          "content-type": "application/json",
        };
        const body = JSON.stringify({ name: "to be disabled", limit: 100 });
        const made = await fetch(`${gateway.url}/v1/keys`, { method: "POST", headers, body });
        const { key, data } = asObject(await made.json());
        const going = ask(gateway, drawing, { key: String(key) });
        await until(() => requested() > 0, { what: "that the provider is asked" });
        if (drawing.frames === undefined) await pause(150);
        else await going;
        const disabled = await fetch(`${gateway.url}/v1/keys/${asObject(data).hash}?abort=true`, {
          method: "PATCH",
          headers,
          body: JSON.stringify({ disabled: true }),
        });
        await disabled.text();
        await (await going).text();
        assertPaid(await newestReceipt(gateway), drawing);
      },
    });
  });
}
