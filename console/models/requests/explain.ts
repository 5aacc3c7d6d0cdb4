/** Explains the route of a past request as it would go now: the same size, capabilities and preferences, no texts. */

import type { ReceiptRecord } from "../../../shared/management/receipts.ts";
import { type ConsoleApi, queryOf } from "../../api.ts";

/** An endpoint of a model that was asked for. */
interface ExplainedEndpoint {
  readonly model: string;
  readonly provider: string;
  /** Null for one that may be asked. */
  readonly excluded_by: string | null;
  readonly detail?: string;
  /** From 1, among those that may be asked now. */
  readonly position: number | null;
  /** Probability of being called first. */
  readonly probability: number;
}

export interface RouteExplanation {
  readonly candidates: readonly ExplainedEndpoint[];
  readonly refusal: { readonly status: number; readonly message: string } | null;
}

/** Tokens of the stand-in's text, at most. */
const MOST_TOKENS = 100_000;

const DOT = "data:image/png;base64," +
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

/** A request of the same shape: a text of the same length, a function where tools were needed, a dot for an image. */
function standIn(
  { requested_model, route_input, streamed, session_id, service_tier }: ReceiptRecord,
) {
  const { tokens = 1, max_tokens, models, requires = [], preferences } = route_input ?? {};
  const text = "word ".repeat(Math.min(MOST_TOKENS, Math.max(1, tokens))).trim();
  const image = requires.includes("image") ? [{ type: "input_image", image_url: DOT, detail: "auto" }] : [];
  const tools = requires.includes("tools")
    ? [{ type: "function", name: "stand_in", parameters: { type: "object", properties: {} } }]
    : undefined;
  return {
    model: models === undefined ? requested_model ?? undefined : undefined,
    models,
    input: [{ role: "user", content: [{ type: "input_text", text }, ...image] }],
    max_output_tokens: max_tokens,
    provider: preferences,
    stream: streamed,
    tools,
    session_id: session_id ?? undefined,
    service_tier: service_tier ?? undefined,
  };
}

export async function explainAgain(
  receipt: ReceiptRecord,
  { api }: { readonly api: Pick<ConsoleApi, "send"> },
): Promise<RouteExplanation> {
  const address = `/console/api/route/explain${queryOf({ api_key_hash: receipt.key_hash })}`;
  const response = await api.send("POST", address, { body: standIn(receipt) });
  return toExplanation(await response.json());
}

/** The server has rendered it. */
function toExplanation(body: unknown): RouteExplanation {
  return body as RouteExplanation;
}
