/** The request's tools and how the model may choose among them. */

import type { JsonObject } from "../../canonical/item.ts";
import type { HostedTool, ModelRequest, Tool } from "../../canonical/request.ts";
import { flattenTools, type FlatTool, type ToolNames } from "../../common/outbound/tool_names.ts";
import {
  customToolParameters,
  describeTool,
  type RenderableChoice,
  selectTools,
} from "../../common/outbound/tool_offer.ts";
import { renderSchema } from "./render_schema.ts";

interface RenderedTools {
  /** `tools` and `toolConfig`, where there are tools to offer. */
  readonly body: JsonObject;
  readonly names: ToolNames;
  readonly dropped: readonly string[];
}

/** A tool that the provider runs itself: it goes as it is. */
const isProvidersOwn = (tool: Tool): tool is HostedTool => tool.type === "hosted" && tool.wire === "gemini";

/** Names as this wire has them; tools that the provider itself runs are not among them. */
export const geminiToolNames = (tools: readonly Tool[]): ToolNames =>
  flattenTools(
    tools.some(isProvidersOwn) ? tools.filter((tool) => !isProvidersOwn(tool)) : tools,
    "letter_first",
  );

/** Throws an ApiError where the caller forces a call that this wire cannot express. */
export function renderTools(request: ModelRequest): RenderedTools {
  const names = geminiToolNames(request.tools);
  const own = request.tools.filter(isProvidersOwn).map(({ value }) => value);
  const { offered, choice } = selectTools(request.toolChoice, names);
  if (offered.length === 0) {
    return { body: own.length === 0 ? {} : { tools: own }, names, dropped: names.dropped };
  }
  const strict = offered.some(({ tool }) => tool.type === "function" && tool.strict === true);
  return {
    names,
    dropped: [...names.dropped, ...(strict ? ["tools.strict"] : [])],
    body: {
      tools: [{ functionDeclarations: offered.map(renderTool) }, ...own],
      ...(choice === undefined ? {} : { toolConfig: { functionCallingConfig: renderChoice(choice) } }),
    },
  };
}

const modes = { auto: "AUTO", none: "NONE", required: "ANY" } as const;

const renderChoice = (choice: RenderableChoice): JsonObject =>
  choice.type === "named"
    ? { mode: "ANY", allowedFunctionNames: [choice.wireName] }
    : { mode: modes[choice.type] };

function renderTool({ wireName, tool, about }: FlatTool): JsonObject {
  const description = describeTool({ tool, about });
  const parameters = tool.type === "custom" ? customToolParameters : tool.parameters;
  return {
    name: wireName,
    ...(description === undefined ? {} : { description }),
    ...(parameters === null ? {} : { parametersJsonSchema: { type: "object", ...renderSchema(parameters) } }),
  };
}
