/** A request's tool `fusion` with the settings of the plugin; without the tool where the request may not have a run. */

import { serviceKindOf } from "../../../../shared/fields/service_tool_names.ts";
import { omitUndefined } from "../../../../shared/util/json.ts";
import type { ModelRequest, Tool, ToolChoice } from "../../../protocols/canonical/request.ts";
import type { PluginOptions } from "../../plugins/plugin_use.ts";

type FusionOptions = PluginOptions<"fusion">;

interface FusedRequest {
  readonly request: ModelRequest;
  /** Why the tool was left out, as a sentence for the client. */
  readonly note?: string;
}

/** `depth`: of runs, in other gateways among them, that the request is a part of. */
export function withFusionOptions(request: ModelRequest, depth: number | undefined): FusedRequest {
  if (!request.tools.some(isFusion)) return { request };
  const options = fusionOptions(request);
  if (depth !== undefined) return without(request, "the request is a part of a run of fusion");
  if (options?.enabled === false) return without(request, "the plugin fusion is off");
  return options === undefined ? { request } : { request: withOptions(request, options) };
}

const fusionOptions = ({ plugins }: ModelRequest): FusionOptions | undefined =>
  plugins.find((plugin): plugin is FusionOptions => plugin.id === "fusion");

export const isFusion = (tool: Tool): boolean => tool.type === "server" && tool.kind === "fusion";

/** The tool's own parameters win. */
function withOptions(request: ModelRequest, options: FusionOptions): ModelRequest {
  const { id: _id, enabled: _on, ...settings } = options;
  const given = omitUndefined(settings);
  const tools = request.tools.map((tool) =>
    tool.type === "server" && isFusion(tool)
      ? { ...tool, parameters: { ...given, ...named(tool.parameters) } }
      : tool
  );
  return { ...request, tools };
}

/** A parameter that is null is not given. */
const named = (parameters: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(Object.entries(parameters).filter(([, value]) => value !== null));

function without(request: ModelRequest, reason: string): FusedRequest {
  const tools = request.tools.filter((tool) => !isFusion(tool));
  const left = request.tools.find((tool) => tool.type === "server" && isFusion(tool));
  const name = left?.type === "server" ? left.originalType : "fusion";
  const toolChoice = choiceWithout(request.toolChoice, tools.length);
  return { request: { ...request, tools, toolChoice }, note: `${name} is left out: ${reason}.` };
}

/** A choice that forces the tool, or any where no other is left, forces nothing. */
function choiceWithout(choice: ToolChoice | undefined, left: number): ToolChoice | undefined {
  const forcesIt = choice?.type === "hosted" && serviceKindOf(choice.kind) === "fusion";
  return forcesIt || left === 0 ? undefined : choice;
}
