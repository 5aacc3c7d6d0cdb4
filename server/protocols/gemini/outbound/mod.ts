/** Google's generateContent as we call it: the Gemini API, and Vertex under another address. */

import type { Outbound } from "../../wire.ts";
import { withTraits } from "../../common/outbound/traits/apply_traits.ts";
import { parseEvents, parseResponse, usageOf } from "./parse_events.ts";
import { parseError } from "./parse_error.ts";
import { renderRequest } from "./render_request.ts";
import type { GeminiState } from "./parse_state.ts";

export const geminiOutbound: Outbound<GeminiState> = {
  wire: "gemini",
  renderRequest: withTraits("gemini", renderRequest),
  parseEvents,
  usageSoFar: { counts: ({ usage }) => usage, usage: usageOf },
  parseResponse,
  parseError,
};
