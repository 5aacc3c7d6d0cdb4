/** The request's tools and how the model may choose among them. */

import type { Json } from "../../../canonical/item.ts";
import type { ModelRequest } from "../../../canonical/request.ts";
import { type FlatTool, type ToolNames, toolNames } from "../../common/outbound/tool_names.ts";
import {
  customParameters,
  describeTool,
  type OfferedChoice,
  offerTools,
} from "../../common/outbound/tool_offer.ts";
import { cleanSchema } from "./render_schema.ts";

export interface RenderedTools {
  /** `tools` and `toolConfig`, where there are tools to offer. */
  readonly body: Json;
  readonly names: ToolNames;
  readonly dropped: readonly string[];
}

/** Throws a Refusal where the caller forces a call that this wire cannot express. */
export function renderTools(request: ModelRequest): RenderedTools {
  const names = toolNames(request.tools);
  const { offered, choice } = offerTools(request.toolChoice, names);
  if (offered.length === 0) return { body: {}, names, dropped: names.dropped };
  const strict = offered.some(({ tool }) => tool.type === "function" && tool.strict === true);
  return {
    names,
    dropped: [...names.dropped, ...(strict ? ["tools.strict"] : [])],
    body: {
      tools: [{ functionDeclarations: offered.map(renderTool) }],
      ...(choice === undefined ? {} : { toolConfig: { functionCallingConfig: renderChoice(choice) } }),
    },
  };
}

const modes = { auto: "AUTO", none: "NONE", required: "ANY" } as const;

const renderChoice = (choice: OfferedChoice): Json =>
  choice.type === "named"
    ? { mode: "ANY", allowedFunctionNames: [choice.wireName] }
    : { mode: modes[choice.type] };

function renderTool({ wireName, tool, about }: FlatTool): Json {
  const description = describeTool({ tool, about });
  const parameters = tool.type === "custom" ? customParameters : tool.parameters;
  return {
    name: wireName,
    ...(description === undefined ? {} : { description }),
    ...(parameters === null ? {} : { parametersJsonSchema: { type: "object", ...cleanSchema(parameters) } }),
  };
}
