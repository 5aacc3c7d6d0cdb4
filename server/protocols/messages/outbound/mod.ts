/** The Messages API as we call it: Anthropic's wire, which its clouds and a few other servers speak too. */

import type { Outbound } from "../../wire.ts";
import { withTraits } from "../../common/outbound/traits/apply_traits.ts";
import { parseCount, renderCount } from "./count_tokens.ts";
import { parseEvents, parseResponse } from "./parse_events.ts";
import { parseError } from "./parse_error.ts";
import { renderRequest } from "./render_request.ts";
import type { MessagesState } from "./parse_state.ts";
import { toUsage } from "./parse_usage.ts";

export const messagesOutbound: Outbound<MessagesState> = {
  wire: "messages",
  renderRequest: withTraits("messages", renderRequest),
  parseEvents,
  usageSoFar: { counts: ({ counts }) => counts, usage: ({ counts }) => toUsage(counts) },
  parseResponse,
  parseError,
  // The model always stands in the body here, where it stands in the address otherwise.
  renderCount: withTraits("messages", renderCount, { keep: "model" }),
  parseCount,
};
