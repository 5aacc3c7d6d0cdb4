/** A provider of the chat wire that takes its time, so that a kill finds answers in the middle. */

import { pause } from "../support/until.ts";

const TEXT = ["The ", "ledger ", "must ", "hold ", "what ", "was ", "said."];
/** Milliseconds between two chunks of a stream. */
const GAP_MS = 6;
const usage = { prompt_tokens: 21, completion_tokens: 37, total_tokens: 58 };

/** Cost of one answer at the prices of `providerRow`, in nano-USD: 21 × 1,000 + 37 × 2,000. */
export const COST_NANO = 21 * 1_000 + 37 * 2_000;

export interface Upstream {
  readonly baseUrl: string;
  close(): Promise<void>;
}

export function slowUpstream(): Upstream {
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, async (request) => {
    const { stream } = await request.json();
    return stream === true ? streamed() : await whole();
  });
  return { baseUrl: `http://127.0.0.1:${server.addr.port}/v1`, close: () => server.shutdown() };
}

const head = { id: "chatcmpl-1", created: 1_700_000_000, model: "slow" };

async function whole(): Promise<Response> {
  await pause(GAP_MS);
  const message = { role: "assistant", content: TEXT.join("") };
  const choices = [{ index: 0, message, finish_reason: "stop" }];
  return Response.json({ ...head, object: "chat.completion", choices, usage });
}

const encoder = new TextEncoder();

/** One frame of the stream; `rest` stands beside its choices. */
function frame(choice: { readonly delta: object; readonly finish_reason: string | null }, rest: object = {}) {
  const chunk = { ...head, object: "chat.completion.chunk", choices: [{ index: 0, ...choice }], ...rest };
  return encoder.encode(`data: ${JSON.stringify(chunk)}\n\n`);
}

function streamed(): Response {
  let at = 0;
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      await pause(GAP_MS);
      const content = TEXT[at++];
      if (content !== undefined) {
        return controller.enqueue(frame({ delta: { content }, finish_reason: null }));
      }
      controller.enqueue(frame({ delta: {}, finish_reason: "stop" }, { usage }));
      controller.enqueue(encoder.encode("data: [DONE]\n\n"));
      controller.close();
    },
  }, { highWaterMark: 0 });
  return new Response(body, { headers: { "content-type": "text/event-stream" } });
}

/** The row of the configuration file under which the gateway knows it. */
export function providerRow(baseUrl: string) {
  return {
    id: "slow",
    name: "Slow",
    wire: "chat",
    base_url: baseUrl,
    api_key_env: "SLOW_KEY",
    models: [{
      id: "slow/model",
      upstream_id: "slow",
      context_length: 32_000,
      max_output_tokens: 4_096,
      pricing: { prompt: "0.000001", completion: "0.000002" },
    }],
  };
}
