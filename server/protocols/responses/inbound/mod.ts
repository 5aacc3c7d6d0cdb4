/** POST /responses: the wire on which clients call us that loses nothing of the hub. */

import { inputAndOutput, renderBilled } from "../../common/inbound/render_cost.ts";
import { envelope } from "../../common/inbound/render_error.ts";
import type { Inbound } from "../../wire.ts";
import type { ResponseEcho } from "./echo.ts";
import type { StreamEvent } from "./render_context.ts";
import { renderAnswer, renderEvents, type RenderState } from "./render_events.ts";
import { parseRequest } from "./parse_request.ts";

export const responsesInbound: Inbound<ResponseEcho, RenderState, StreamEvent> = {
  wire: "responses",
  idPrefix: "resp_",
  parseRequest,
  renderEvents,
  renderAnswer,
  renderBilled: (billed) => renderBilled(billed, inputAndOutput),
  renderRefusal: envelope,
  frame: (event) => `${eventLine(event)}data: ${JSON.stringify(event)}\n\n`,
  isLast: ({ type }) => terminal.has(type),
  terminator: "data: [DONE]\n\n",
};

const terminal: ReadonlySet<string> = new Set([
  "response.completed",
  "response.incomplete",
  "response.failed",
]);

/** A provider's own events may be of any name, and a line break in one would begin another line. */
const eventName = /^(response\.[a-z0-9_.]+|error)$/;

const eventLine = ({ type }: StreamEvent): string => eventName.test(type) ? `event: ${type}\n` : "";
