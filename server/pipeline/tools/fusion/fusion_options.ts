/** The tool `fusion` of a request: brought by a slug, with the plugin's settings, or left out where no run may start. */

import { serviceKindOf } from "../../../../shared/fields/service_tool_names.ts";
import type { JsonObject } from "../../../protocols/canonical/item.ts";
import type { ModelRequest, ServerTool, Tool, ToolChoice } from "../../../protocols/canonical/request.ts";
import { fusionPresetOf, type NamedRouter } from "../../routing/routers/router_slugs.ts";
import type { CallerRules } from "../../caller_rules.ts";
import { routersOf } from "../../routing/route_plan.ts";
import type { ModelNameDeps } from "../../routing/selection/model_names.ts";
import type { PluginOptions } from "../../plugins/plugin_use.ts";

type FusionOptions = PluginOptions<"fusion">;

interface FusedRequest {
  readonly request: ModelRequest;
  /** Why the tool was left out, as a sentence for the client. */
  readonly note?: string;
}

interface FusionInput {
  readonly request: ModelRequest;
  /** Rules of the caller, whose workspace may have a slug as its default model. */
  readonly rules: CallerRules | undefined;
  /** Runs, in other gateways among them, that the request is a part of. */
  readonly depth: number | undefined;
}

export function withFusion(deps: ModelNameDeps, { request, rules, depth }: FusionInput): FusedRequest {
  const slug = routersOf(deps, { request, rules }).find(({ plugin }) => plugin === "fusion");
  const isNamed = request.tools.some(isFusion);
  if (slug === undefined && !isNamed) return { request };
  const options = fusionOptions(request);
  if (depth !== undefined) return without(request, "the request is a part of a run of fusion");
  if (options?.enabled === false) {
    const left = without(request, "the plugin fusion is off");
    return isNamed ? left : { request: left.request };
  }
  const whole = slug === undefined || isNamed ? request : withTool(request, slug);
  const preset = slug === undefined ? {} : { preset: fusionPresetOf(slug.slug) };
  return { request: withOptions(whole, { ...preset, ...settingsOf(options) }) };
}

/** The slug's own tool, in the slug's spelling. */
function withTool(request: ModelRequest, { name }: NamedRouter): ModelRequest {
  const originalType = name.startsWith("service/") ? "service:fusion" : "openrouter:fusion";
  const tool: ServerTool = {
    type: "server",
    kind: "fusion",
    originalType,
    parameters: {},
    onlyForRouter: "fusion",
  };
  return { ...request, tools: [...request.tools, tool] };
}

const fusionOptions = ({ plugins }: ModelRequest): FusionOptions | undefined =>
  plugins.find((plugin): plugin is FusionOptions => plugin.id === "fusion");

export const isFusion = (tool: Tool): boolean => tool.type === "server" && tool.kind === "fusion";

/** Settings that are given. */
function settingsOf(options: FusionOptions | undefined): JsonObject {
  if (options === undefined) return {};
  const { id: _id, enabled: _on, ...settings } = options;
  return named(settings);
}

/** The tool's own parameters win. */
function withOptions(request: ModelRequest, settings: JsonObject): ModelRequest {
  if (Object.keys(settings).length === 0) return request;
  const tools = request.tools.map((tool) =>
    tool.type === "server" && isFusion(tool)
      ? { ...tool, parameters: { ...settings, ...named(tool.parameters) } }
      : tool
  );
  return { ...request, tools };
}

/** A parameter that is null is not given. */
const named = (parameters: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(Object.entries(parameters).filter(([, value]) => value !== null && value !== undefined));

function without(request: ModelRequest, reason: string): FusedRequest {
  const tools = request.tools.filter((tool) => !isFusion(tool));
  const left = request.tools.find((tool) => tool.type === "server" && isFusion(tool));
  const name = left?.type === "server" ? left.originalType : "openrouter:fusion";
  const toolChoice = choiceWithout(request.toolChoice, tools.length);
  return { request: { ...request, tools, toolChoice }, note: `${name} is left out: ${reason}.` };
}

/** A choice that forces the tool, or any where no other is left, forces nothing. */
function choiceWithout(choice: ToolChoice | undefined, left: number): ToolChoice | undefined {
  const forcesIt = choice?.type === "hosted" && serviceKindOf(choice.kind) === "fusion";
  return forcesIt || left === 0 ? undefined : choice;
}
