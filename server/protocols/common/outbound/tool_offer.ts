/** Which of the request's tools a provider is offered, and how it may choose among them. */

import { ApiError } from "../../../../shared/errors.ts";
import type { JsonObject } from "../../canonical/item.ts";
import type { CustomTool, ModelRequest, ToolChoice, ToolReference } from "../../canonical/request.ts";
import { findTool, type FlatTool, type ToolNames } from "./tool_names.ts";

/** The choice as every wire that knows only functions can say it. */
export type RenderableChoice =
  | { readonly type: "auto" | "none" | "required" }
  | { readonly type: "named"; readonly wireName: string };

interface ToolOffer {
  readonly offered: readonly FlatTool[];
  readonly choice?: RenderableChoice;
}

/** Throws a {@link ApiError} where the caller forces a call that cannot come about. */
export function selectTools(choice: ToolChoice | undefined, names: ToolNames): ToolOffer {
  const offered = offeredTools(choice, names);
  return { offered, choice: choice === undefined ? undefined : offeredChoice(choice, { names, offered }) };
}

/** `allowed_tools` keeps the list and narrows the choice; here the list itself is narrowed. */
function offeredTools(choice: ToolChoice | undefined, names: ToolNames): readonly FlatTool[] {
  if (choice?.type !== "allowed") return names.tools;
  const allowed = new Set(choice.tools.map((tool) => findTool(names, tool)));
  return names.tools.filter((tool) => allowed.has(tool));
}

interface Offer {
  readonly names: ToolNames;
  readonly offered: readonly FlatTool[];
}

function offeredChoice(choice: ToolChoice, { names, offered }: Offer): RenderableChoice {
  switch (choice.type) {
    case "auto":
    case "none":
      return { type: choice.type };
    case "required":
      return required(offered);
    case "allowed":
      return choice.mode === "required" ? required(offered) : { type: "auto" };
    case "named":
      return { type: "named", wireName: forced(choice.tool, names).wireName };
    case "hosted":
      throw cannotForceCall(`the model's provider cannot run ${choice.kind}`);
    default:
      return choice satisfies never;
  }
}

function required(offered: readonly FlatTool[]): RenderableChoice {
  if (offered.length > 0) return { type: "required" };
  throw cannotForceCall("none of the tools can be offered to the model's provider");
}

function forced(tool: ToolReference, names: ToolNames): FlatTool {
  const found = findTool(names, tool);
  if (found !== undefined) return found;
  throw cannotForceCall(`${tool.name} is not among the tools`);
}

/**
 * Calls beyond this many are left out of the answer: not every wire has a word for `parallel_tool_calls`, and not
 * every provider honours it, nor `tool_choice`. Infinity where the client sets no bound.
 */
export function maxCallsOf({ toolChoice, parallelToolCalls }: ModelRequest): number {
  return toolChoice?.type === "none" ? 0 : parallelToolCalls === false ? 1 : Infinity;
}

/** The refusal of a forced call. */
export function cannotForceCall(why: string): ApiError {
  return new ApiError("invalid_request", `Cannot force a tool call: ${why}.`, {
    metadata: { path: "tool_choice" },
  });
}

/** Describes a tool where its own description and that of its namespace are all that there is. */
export function describeTool({ tool, about }: Pick<FlatTool, "tool" | "about">): string | undefined {
  const description = tool.description ?? about;
  if (tool.type !== "custom") return description;
  const all = [description, describeFormat(tool)].filter((text) => text !== undefined);
  return all.length === 0 ? undefined : all.join("\n\n");
}

/** Nothing on these wires holds the model to a grammar, so it is at least told. */
function describeFormat({ format }: CustomTool): string | undefined {
  if (format?.type !== "grammar") return undefined;
  return `The input must match this ${format.syntax} grammar:\n${format.definition}`;
}

/** The parameters of a custom tool as a function: its whole input as one string (see parse_tool_input.ts). */
export const customToolParameters: JsonObject = {
  type: "object",
  properties: { input: { type: "string", description: "The whole input of the tool, as plain text." } },
  required: ["input"],
  additionalProperties: false,
};
