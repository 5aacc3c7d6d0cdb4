/** Models as Anthropic's clients know them: their fields beside the gateway's own, and their way of paging. */

import { ApiError } from "../../../shared/errors.ts";
import { truncateStart } from "../../../shared/util/text.ts";
import type { JsonObject } from "../../protocols/canonical/item.ts";
import type { ModelListing } from "../../providers/catalog/catalog.ts";
import type { HttpExchange } from "../http_exchange.ts";
import type { ModelQuery } from "./model_query.ts";
import { serializeModel } from "./serialize_model.ts";

/** Such clients send both headers, and one of them where they are told to send a bearer instead of the key. */
export const isAnthropicClient = ({ request: { headers } }: HttpExchange): boolean =>
  headers.get("anthropic-version") !== null || headers.get("x-api-key") !== null;

/** Nothing is known of lines, ends and abilities but what stands in the gateway's own fields. */
export function serializeAnthropicModel(listing: ModelListing, now: number): JsonObject {
  const { model, endpoints: [first] } = listing;
  return {
    ...serializeModel(listing, now),
    type: "model",
    display_name: model.name,
    created_at: new Date(model.created * 1_000).toISOString(),
    max_input_tokens: model.contextLength ?? null,
    max_tokens: first.maxOutputTokens ?? null,
    capabilities: null,
    deprecated_at: null,
    lifecycle: "active",
    line: null,
    retires_at: null,
  };
}

export const DEFAULT_LIMIT = 20;

interface AnthropicPage {
  readonly rows: readonly ModelListing[];
  readonly hasMore: boolean;
}

/** The models behind `after_id`, or right before `before_id`. Throws an ApiError (400) for ids of none. */
export function pageAnthropicModels(all: readonly ModelListing[], query: ModelQuery): AnthropicPage {
  const { limit = DEFAULT_LIMIT, after_id: after, before_id: before } = query;
  if (before !== undefined) {
    const end = positionOf(all, { name: "before_id", id: before });
    const start = Math.max(0, end - limit);
    return { rows: all.slice(start, end), hasMore: start > 0 };
  }
  const start = after === undefined ? 0 : positionOf(all, { name: "after_id", id: after }) + 1;
  return { rows: all.slice(start, start + limit), hasMore: start + limit < all.length };
}

interface PageStart {
  readonly name: string;
  readonly id: string;
}

function positionOf(all: readonly ModelListing[], { name, id }: PageStart): number {
  const position = all.findIndex(({ model }) => model.id === id);
  if (position >= 0) return position;
  const message = `${name} is "${truncateStart(id, 100)}", which is no model of this list.`;
  throw new ApiError("invalid_request", message, { metadata: { path: name } });
}
