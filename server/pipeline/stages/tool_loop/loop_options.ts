/** Options of the loops of a request: its own, and those of models that its tools run. Types only. */

import type { Handler, ModelResponse, RequestContext } from "../../request_context.ts";
import type { CallPurpose } from "../../request_record.ts";
import type { McpTurns } from "../../tools/mcp/server_plan.ts";
import type { ToolMemory } from "../../tools/tool_memory.ts";
import type { ToolPlan } from "../../tools/tool_plan.ts";
import type { ServerToolsDeps } from "./server_tools_deps.ts";

export interface ToolLoopOptions {
  readonly deps: ServerToolsDeps;
  readonly next: Handler;
  readonly context: RequestContext;
  readonly plan: ToolPlan;
  /** The caller has a spending limit. */
  readonly limited: boolean;
  /** Absent: the request names no MCP servers that the gateway calls. */
  readonly mcp?: McpTurns;
  /** Set for the model of a tool: the client does not see the response. */
  readonly nested?: NestedLoop;
}

interface NestedLoop {
  readonly purpose: CallPurpose;
  /** The client's turn to which its calls belong. */
  readonly step: number;
  readonly memory: ToolMemory;
}

/** Starts a loop. Throws as its first call does. */
export type StartLoop = (options: ToolLoopOptions) => Promise<ModelResponse>;
