/** What a server tool is: one file of this folder each (docs/server-tools.md). */

import type { ServiceToolKind } from "../../shared/fields/service_tool_names.ts";
import type { JsonObject } from "../canonical/item.ts";
import type { FunctionTool, ModelRequest, Tool } from "../canonical/request.ts";
import type { WorkspaceDefaults } from "../pipeline/caller_rules.ts";
import type { Endpoint } from "../providers/endpoint.ts";
import type { Clock } from "../runtime.ts";
import type { ModelEvent } from "../canonical/event.ts";
import type { ListedModel } from "./model_index.ts";

/** What a tool may use of the gateway. */
export interface ToolDeps {
  readonly clock: Pick<Clock, "now">;
  /** Every model that is listed, in the catalog's order. */
  readonly models: () => readonly ListedModel[];
}

/** One call of a tool. */
export interface ToolInput {
  /** What the model asked for. */
  readonly args: JsonObject;
  /** What the client's request says of the tool. */
  readonly settings: JsonObject;
  /** The tools of the request, those that are deferred among them. */
  readonly tools: readonly Tool[];
  readonly deps: ToolDeps;
  /** What the caller's workspace takes where nothing is said. */
  readonly defaults?: WorkspaceDefaults;
  /** Makes a model call of the tool's own. Throws an ApiError where it comes to nothing. */
  readonly callModel: (request: ModelRequest) => Promise<readonly ModelEvent[]>;
}

export interface ToolOutcome {
  /** What the model is told. */
  readonly output: string;
  /** Fields of the item that the client is shown. */
  readonly fields: JsonObject;
  /** It came to nothing, for the reason that `output` gives. */
  readonly failed?: true;
  /** Names of deferred tools that are offered from the next turn on. */
  readonly found?: readonly string[];
}

export interface HostedForm {
  /** In `tools` of a Responses request. */
  readonly type: string;
  /** Of the items in which clients see its calls. */
  readonly itemType: string;
}

export interface ToolDefinition {
  readonly kind: ServiceToolKind;
  /** The tool of the Responses wire that it stands in for at endpoints of other wires. */
  readonly hosted?: HostedForm;
  /** What the model is told of it. */
  readonly describe: (settings: JsonObject) => Pick<FunctionTool, "description" | "parameters">;
  /** Whether an endpoint's provider has the tool of `hosted` itself. */
  readonly isNativeAt?: (endpoint: Endpoint, settings: JsonObject) => boolean;
  /** Fields of its items, of a call with these arguments that has not run. */
  readonly itemFields: (args: JsonObject) => JsonObject;
  /** The word that its items have for a call that came to nothing. */
  readonly failedStatus: "failed" | "incomplete";
  /** What the model asked for and was told, of an item that a client brings back; undefined where it does not say. */
  readonly argumentsOf?: (item: JsonObject) => JsonObject | undefined;
  readonly outputOf?: (item: JsonObject) => string | undefined;
  /** What is wrong with the arguments, in words for the model. */
  readonly check?: (args: JsonObject) => string | undefined;
  /** Absent: the client runs it. Rejects only for faults of the gateway. */
  readonly run?: (input: ToolInput) => Promise<ToolOutcome>;
}

/** A call that came to nothing. */
export const failedCall = (reason: string, fields: JsonObject = {}): ToolOutcome => ({
  output: JSON.stringify({ error: reason }),
  fields,
  failed: true,
});

export const textOf = (value: unknown): string | undefined =>
  typeof value === "string" && value !== "" ? value : undefined;
