/** POST /responses: the wire on which clients call us that loses nothing of the canonical model. */

import { inputOutputCostNames, renderCost } from "../../common/inbound/render_cost.ts";
import { renderErrorEnvelope } from "../../common/inbound/render_error.ts";
import type { Inbound } from "../../wire.ts";
import type { ResponseEcho } from "./echo.ts";
import type { ResponsesStreamEvent } from "./render_context.ts";
import { renderEvents, renderResponse, type RenderState } from "./render_events.ts";
import { parseRequest } from "./parse_request.ts";

export const responsesInbound: Inbound<ResponseEcho, RenderState, ResponsesStreamEvent> = {
  wire: "responses",
  idPrefix: "resp_",
  parseRequest,
  renderEvents,
  renderResponse,
  renderCost: (billed) => renderCost(billed, inputOutputCostNames),
  renderError: renderErrorEnvelope,
  frame: (event) => `${eventLine(event)}data: ${JSON.stringify(event)}\n\n`,
  isLastEvent: ({ type }) => terminal.has(type),
  terminator: "data: [DONE]\n\n",
};

const terminal: ReadonlySet<string> = new Set([
  "response.completed",
  "response.incomplete",
  "response.failed",
]);

/** A provider's own events may be of any name, and a line break in one would begin another line. */
const eventName = /^(response\.[a-z0-9_.]+|error)$/;

const eventLine = ({ type }: ResponsesStreamEvent): string => eventName.test(type) ? `event: ${type}\n` : "";
