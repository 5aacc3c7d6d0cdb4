/** The request's tools and how the model may choose among them. */

import type { Json } from "../../hub/item.ts";
import type { ModelRequest } from "../../hub/request.ts";
import { type FlatTool, type ToolNames, toolNames } from "../common/tool_names.ts";
import { customParameters, describeTool, type OfferedChoice, offerTools } from "../common/tool_offer.ts";

export interface RenderedTools {
  /** `tools`, `tool_choice` and `parallel_tool_calls`, each only where the provider may have it. */
  readonly body: Json;
  readonly names: ToolNames;
  readonly dropped: readonly string[];
}

/**
 * Throws a Refusal where the caller forces a call that this wire cannot express. Without any tool the other two
 * keys are left out as well, because providers refuse them then.
 */
export function renderTools(request: ModelRequest): RenderedTools {
  const names = toolNames(request.tools);
  const { offered, choice } = offerTools(request.toolChoice, names);
  if (offered.length === 0) return { body: {}, names, dropped: names.dropped };
  const parallel = request.parallelToolCalls;
  return {
    names,
    dropped: names.dropped,
    body: {
      tools: offered.map(renderTool),
      ...(choice === undefined ? {} : { tool_choice: renderChoice(choice) }),
      ...(parallel === undefined ? {} : { parallel_tool_calls: parallel }),
    },
  };
}

const renderChoice = (choice: OfferedChoice): unknown =>
  choice.type === "named" ? { type: "function", function: { name: choice.wireName } } : choice.type;

function renderTool({ wireName, tool, about }: FlatTool): Json {
  const description = describeTool({ tool, about });
  const strict = tool.type === "function" && typeof tool.strict === "boolean" ? tool.strict : undefined;
  return {
    type: "function",
    function: {
      name: wireName,
      ...(description === undefined ? {} : { description }),
      parameters: parametersOf(tool),
      ...(strict === undefined ? {} : { strict }),
    },
  };
}

function parametersOf(tool: FlatTool["tool"]): Json {
  if (tool.type === "custom") return customParameters;
  return tool.parameters ?? { type: "object", properties: {} };
}
