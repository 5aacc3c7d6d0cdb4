/** The `responses` wire, outbound: OpenAI's `POST /responses` and servers compatible with it. */

import type { Outbound } from "../../wire.ts";
import { withTraits } from "../../common/outbound/traits/apply_traits.ts";
import { parseResponse } from "./parse_response.ts";
import { type CallCountState, limitCalls, withCallLimit } from "./limit_calls.ts";
import { maxCallsOf } from "../../common/outbound/tool_offer.ts";
import { parseError } from "./parse_error.ts";
import { parseEvents, type ResponsesState } from "./parse_events.ts";
import { renderRequest } from "./render_request.ts";

type State = ResponsesState | CallCountState<ResponsesState>;

const usageIn = (state: State) => "inner" in state ? state.inner.usage : state.usage;

export const responsesOutbound: Outbound<State> = {
  wire: "responses",
  renderRequest: withTraits("responses", renderRequest),
  parseEvents: (request) => {
    const most = maxCallsOf(request);
    return most === Infinity ? parseEvents : withCallLimit(parseEvents, most);
  },
  usageSoFar: { counts: usageIn, usage: usageIn },
  parseResponse: (body, request) => limitCalls(parseResponse(body), maxCallsOf(request)),
  parseError,
};
