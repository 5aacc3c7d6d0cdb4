/**
 * Speech as events (`stream_format: "sse"`), as OpenAI documents them: `speech.audio.delta` with base64, at the end
 * `speech.audio.done` with the tokens it took. What breaks off ends in `error`, which clients throw.
 */

import { apiErrorKinds } from "../../../shared/errors.ts";
import type { Failure, FinishEvent, OutputEvent } from "../../protocols/canonical/event.ts";
import type { JsonObject } from "../../protocols/canonical/item.ts";

const frame = (event: JsonObject) => `data: ${JSON.stringify(event)}\n\n`;

/** Frames of an answer whose beginning was taken already; undefined at the end. Never rejects. */
export function speechFrames(
  next: () => Promise<OutputEvent | undefined>,
): () => Promise<string | undefined> {
  let over = false;
  return async () => {
    if (over) return undefined;
    const event = await audible(next);
    over = event.type !== "audio";
    if (event.type === "audio") return frame({ type: "speech.audio.delta", audio: event.bytes.toBase64() });
    return event.type === "finish" ? frame(done(event)) : frame(broken(event.failure));
  };
}

type Audible = Extract<OutputEvent, { readonly type: "audio" | "finish" | "failure" }>;

const lost: Failure = { kind: "upstream_failed", message: "The speech broke off." };

async function audible(next: () => Promise<OutputEvent | undefined>): Promise<Audible> {
  try {
    for (let event = await next(); event !== undefined; event = await next()) {
      if (event.type === "audio" || event.type === "finish" || event.type === "failure") return event;
    }
  } catch {
    // Why it broke off stands in the receipt and in the log; the client is told that it did.
  }
  return { type: "failure", failure: lost };
}

function done({ usage }: FinishEvent): JsonObject {
  const { inputTokens = 0, outputTokens = 0 } = usage ?? {};
  return {
    type: "speech.audio.done",
    usage: {
      input_tokens: inputTokens,
      output_tokens: outputTokens,
      total_tokens: inputTokens + outputTokens,
    },
  };
}

function broken({ kind, message }: Failure): JsonObject {
  const { status, errorType } = apiErrorKinds[kind];
  return { type: "error", error: { type: errorType, message, code: status } };
}
