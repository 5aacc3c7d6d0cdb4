/** The `responses` wire, outbound: OpenAI's `POST /responses` and servers compatible with it. */

import type { Outbound } from "../wire.ts";
import { parseAnswer } from "./outbound_answer.ts";
import { parseError } from "./outbound_error.ts";
import { parseEvents, type ResponsesState } from "./outbound_events.ts";
import { renderRequest } from "./outbound_request.ts";

export const responsesOutbound: Outbound<ResponsesState> = {
  wire: "responses",
  renderRequest,
  parseEvents: () => parseEvents,
  parseAnswer,
  parseError,
};
