/** The `responses` wire, outbound: OpenAI's `POST /responses` and servers compatible with it. */

import type { Outbound } from "../wire.ts";
import { parseAnswer } from "./outbound_answer.ts";
import { fewCalls, mostCalls, withFewCalls } from "./outbound_calls.ts";
import { parseError } from "./outbound_error.ts";
import { parseEvents } from "./outbound_events.ts";
import { renderRequest } from "./outbound_request.ts";

export const responsesOutbound: Outbound<unknown> = {
  wire: "responses",
  renderRequest,
  parseEvents: (request) => {
    const most = mostCalls(request);
    return most === Infinity ? parseEvents : withFewCalls(parseEvents, most);
  },
  parseAnswer: (body, request) => fewCalls(parseAnswer(body), mostCalls(request)),
  parseError,
};
