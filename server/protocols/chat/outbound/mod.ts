/** Chat Completions as we call it: OpenAI's wire of old, which most servers speak. */

import { withServiceTier } from "../../canonical/usage.ts";
import type { Outbound } from "../../wire.ts";
import { withTraits } from "../../common/outbound/traits/apply_traits.ts";
import { parseResponse } from "./parse_response.ts";
import { parseError } from "./parse_error.ts";
import { parseEvents } from "./events/parse_events.ts";
import { renderRequest } from "./render_request.ts";
import type { ChatState } from "./events/parse_state.ts";

export const chatOutbound: Outbound<ChatState> = {
  wire: "chat",
  renderRequest: withTraits("chat", renderRequest),
  parseEvents,
  usageSoFar: {
    counts: ({ usage }) => usage,
    usage: ({ usage, serviceTier }) => withServiceTier(usage, serviceTier),
  },
  parseResponse,
  parseError,
};
