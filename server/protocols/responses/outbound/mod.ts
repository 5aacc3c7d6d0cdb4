/** The `responses` wire, outbound: OpenAI's `POST /responses` and servers compatible with it. */

import type { Outbound } from "../../wire.ts";
import { parseAnswer } from "./parse_response.ts";
import { type Counting, fewCalls, mostCalls, withFewCalls } from "./limit_calls.ts";
import { parseError } from "./parse_error.ts";
import { parseEvents, type ResponsesState } from "./parse_events.ts";
import { renderRequest } from "./render_request.ts";

type State = ResponsesState | Counting<ResponsesState>;

const usageIn = (state: State) => "inner" in state ? state.inner.usage : state.usage;

export const responsesOutbound: Outbound<State> = {
  wire: "responses",
  renderRequest,
  parseEvents: (request) => {
    const most = mostCalls(request);
    return most === Infinity ? parseEvents : withFewCalls(parseEvents, most);
  },
  usageSoFar: { counts: usageIn, usage: usageIn },
  parseAnswer: (body, request) => fewCalls(parseAnswer(body), mostCalls(request)),
  parseError,
};
