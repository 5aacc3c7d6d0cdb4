/** Events ahead of the words of a model: listings of MCP servers, and calls that the client has approved. */

import type { OutputEvent } from "../../../protocols/canonical/event.ts";
import type { ModelRequest } from "../../../protocols/canonical/request.ts";
import { openingEvents, type ServerCall } from "../../tools/call_items.ts";
import type { McpTurns } from "../../tools/mcp/server_plan.ts";
import type { ToolCalls } from "./tool_calls.ts";

type Batch = readonly OutputEvent[];

interface ApprovedInput {
  readonly mcp: McpTurns | undefined;
  readonly calls: ToolCalls;
  readonly request: ModelRequest;
  /** The generation, without its prefix. */
  readonly suffix: string;
}

export class Opening {
  #events: Batch = [];

  /** Runs what the client has approved since the model asked for it: the request of the model's first turn. */
  async runApproved({ mcp, calls, request, suffix }: ApprovedInput): Promise<ModelRequest> {
    this.#events = mcp?.opening ?? [];
    if (mcp === undefined || mcp.approved.length === 0) return request;
    const approved = mcp.approved.map(({ tool, call }, index) => {
      return {
        itemKey: `approved ${index}`,
        itemId: `st_${suffix}_0_${index}`,
        tool,
        call,
      } satisfies ServerCall;
    });
    const opened = approved.flatMap((one) => openingEvents(one, one.call));
    const turn = {
      step: 1,
      calls: approved,
      unknownCalls: [],
      request,
      model: "",
      seesImages: false,
      transcript: request.input,
    };
    const running = calls.run(turn);
    const events = [...this.#events, ...opened];
    let next = await running.next();
    for (; next.done !== true; next = await running.next()) events.push(...next.value);
    this.#events = events;
    return {
      ...request,
      input: [...request.input, ...approved.map(({ call }) => call), ...next.value.results],
    };
  }

  /** Puts the events behind the response's beginning. */
  addTo(batch: Batch): Batch {
    const begin = this.#events.length === 0 ? -1 : batch.findIndex(({ type }) => type === "begin");
    if (begin < 0) return batch;
    const events = this.#events;
    this.#events = [];
    return batch.toSpliced(begin + 1, 0, ...events);
  }
}
