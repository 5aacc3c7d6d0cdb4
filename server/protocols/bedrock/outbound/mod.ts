/** Bedrock's Converse as we call it. Its streams are binary messages, which come here as frames. */

import type { Outbound } from "../../wire.ts";
import { withTraits } from "../../common/outbound/traits/apply_traits.ts";
import { parseResponse } from "./parse_response.ts";
import { parseError } from "./parse_error.ts";
import { parseEvents } from "./parse_events.ts";
import { renderRequest } from "./render_request.ts";
import type { BedrockState } from "./parse_state.ts";

export const bedrockOutbound: Outbound<BedrockState> = {
  wire: "bedrock",
  framing: "event-stream",
  renderRequest: withTraits("bedrock", renderRequest),
  parseEvents,
  usageSoFar: { counts: ({ usage }) => usage, usage: ({ usage }) => usage },
  parseResponse,
  parseError,
};
