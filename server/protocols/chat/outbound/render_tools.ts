/** The request's tools and how the model may choose among them. */

import { isRecord } from "../../../../shared/util/json.ts";
import type { HostTrait } from "../../canonical/endpoint_words.ts";
import type { JsonObject } from "../../canonical/item.ts";
import type { ModelRequest } from "../../canonical/request.ts";
import { flattenTools, type FlatTool, nameRuleOf, type ToolNames } from "../../common/outbound/tool_names.ts";
import {
  customToolParameters,
  describeTool,
  type RenderableChoice,
  selectTools,
} from "../../common/outbound/tool_offer.ts";
import { nestedFields } from "../../common/outbound/render_body.ts";

interface RenderedTools {
  /** `tools`, `tool_choice` and `parallel_tool_calls`, each only where the provider may have it. */
  readonly body: JsonObject;
  readonly names: ToolNames;
  readonly dropped: readonly string[];
}

/**
 * Throws an ApiError where the caller forces a call that this wire cannot express. Without any tool the other two
 * keys are left out as well, because providers refuse them then.
 */
export function renderTools(request: ModelRequest, traits?: readonly HostTrait[]): RenderedTools {
  const names = flattenTools(request.tools, nameRuleOf(traits));
  const { offered, choice } = selectTools(request.toolChoice, names);
  if (offered.length === 0) return { body: {}, names, dropped: names.dropped };
  const parallel = request.parallelToolCalls;
  return {
    names,
    dropped: names.dropped,
    body: {
      tools: offered.map(renderTool),
      ...(choice === undefined ? {} : { tool_choice: renderChoice(choice, request.extra?.chat) }),
      ...(parallel === undefined ? {} : { parallel_tool_calls: parallel }),
    },
  };
}

function renderChoice(choice: RenderableChoice, own: JsonObject | undefined): unknown {
  if (choice.type !== "named") return choice.type;
  return {
    ...nestedFields(own, { at: "tool_choice" }),
    type: "function",
    function: { name: choice.wireName },
  };
}

const nothing: JsonObject = {};

function renderTool({ wireName, tool, about }: FlatTool): JsonObject {
  const description = describeTool({ tool, about });
  const strict = tool.type === "function" && typeof tool.strict === "boolean" ? tool.strict : undefined;
  const { tool: beside, ...own } = tool.extra?.chat ?? nothing;
  return {
    ...(isRecord(beside) ? beside : nothing),
    type: "function",
    function: {
      ...own,
      name: wireName,
      ...(description === undefined ? {} : { description }),
      parameters: parametersOf(tool),
      ...(strict === undefined ? {} : { strict }),
    },
  };
}

function parametersOf(tool: FlatTool["tool"]): JsonObject {
  if (tool.type === "custom") return customToolParameters;
  return tool.parameters ?? { type: "object", properties: {} };
}
