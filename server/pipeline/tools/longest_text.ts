/** A text as long as a model may write it, for what explain shows. */

import { mostOutput } from "../../billing/pricing/reservation_request.ts";
import type { Endpoint } from "../../providers/endpoint.ts";

/** Tokens that no model writes at once. */
const MOST_WRITTEN = 200_000;

/** A character for each token: so they are counted where money is reserved. */
export const longestText = (endpoint: Endpoint, maxTokens = Infinity): string =>
  "x".repeat(Math.min(maxTokens, mostOutput(endpoint), MOST_WRITTEN));
