/** The plugins of a request in the order in which they run, each with what it lacks. */

import { isConversation } from "../../protocols/canonical/request.ts";
import { ApiError } from "../../../shared/errors.ts";
import { ownValue } from "../../../shared/util/own_value.ts";
import type { WorkspaceDefaults } from "../caller_rules.ts";
import { type Plugin, unknownSettings } from "../../../shared/responses/plugins.ts";
import { truncateStart } from "../../../shared/util/text.ts";
import type { Endpoint } from "../../providers/endpoint.ts";
import type { ModelRequest } from "../../protocols/canonical/request.ts";
import { slugByPlugin } from "../routing/routers/router_settings.ts";
import { type ModelNameDeps, stripVariants } from "../routing/selection/model_names.ts";
import { effectivePlugins, lockedNote } from "./effective_plugins.ts";
import { holdToLocks } from "./hold_to_locks.ts";
import { orderedPlugins } from "./mod.ts";
import type { PluginCheckDeps, PluginDefinition, PluginDeps, PluginFault } from "./plugin.ts";
import type { PluginUse } from "./plugin_use.ts";

export interface PlannedPlugin {
  readonly use: PluginUse;
  /** Null: the gateway does not run it. */
  readonly definition: PluginDefinition | null;
  /** Why it cannot run. */
  readonly fault?: PluginFault;
}

export interface PluginPlan {
  readonly planned: readonly PlannedPlugin[];
  /** Settings of those that are switched off. */
  readonly off: readonly Plugin[];
  readonly notes: readonly string[];
  /** Fields of the request beside its plugins, held to those that its workspace has locked; absent: as it came. */
  readonly fields?: HeldFields;
  /** The router that a plugin of a request without a model stands for. */
  readonly model?: string;
}

type HeldFields = Pick<ModelRequest, "tools" | "truncation" | "extra">;

type PluginNameDeps = Pick<ModelNameDeps, "aliases" | "defaultModel">;
export type PlanPluginsDeps = PluginDeps & PluginNameDeps;

const nothing: PluginPlan = { planned: [], off: [], notes: [] };

export interface PlanInput {
  readonly request: ModelRequest;
  /** Defaults of the caller's workspace. */
  readonly defaults: WorkspaceDefaults | undefined;
  /** Where it is known already which endpoint is called. */
  readonly endpoint?: Endpoint;
}

/** Few can be asked for in another way than by their name, and every request is looked at. */
const definitions = orderedPlugins.flatMap(([, definition]) => definition ?? []);
const asking = definitions.filter(({ askedBy }) => askedBy !== undefined);
const implying = definitions.filter(({ impliedBy }) => impliedBy !== undefined);

export function planPlugins(deps: PluginCheckDeps & PluginNameDeps, input: PlanInput): PluginPlan {
  const { defaults, endpoint } = input;
  const { engines } = deps.toolDeps.web;
  const { request, held } = holdToLocks(input.request, { defaults: defaults?.plugins, engines });
  const { uses, off, notes } = effectivePlugins({
    requested: request.plugins,
    defaults: defaults?.plugins,
    online: namesOnline(deps, { request, defaults }),
    isConversation: isConversation(request),
    asked: asking.flatMap((definition) => definition.askedBy?.(request) ?? []),
    implied: implying.flatMap((definition) => definition.impliedBy?.(request, endpoint) ?? []),
  });
  if (uses.length === 0 && off.length === 0 && notes.length === 0) return nothing;
  const { tools, truncation, extra } = request;
  const planned = orderedPlugins.flatMap(([id, definition]): readonly PlannedPlugin[] => {
    const use = uses.find(({ options }) => options.id === id);
    if (use === undefined) return [];
    return [{ use, definition, fault: definition?.check?.(use, { request, deps }) }];
  });
  const fields = held.length === 0 ? undefined : { tools, truncation, extra };
  return {
    planned,
    off,
    notes: [...notes, ...held.map(lockedNote), ...uses.flatMap(unknownNotes)],
    fields,
    model: slugByPlugin(request, defaults?.plugins),
  };
}

/** Most settings of one plugin that are named. */
const MOST_UNKNOWN = 5;

/** Words for what the request has set that the plugin does not have. */
const unknownNotes = ({ options, origin }: PluginUse): readonly string[] =>
  origin !== "request" ? [] : unknownSettings(options).slice(0, MOST_UNKNOWN)
    .map((name) => `plugin ${options.id}: ${truncateStart(name, 60)}`);

/** The request with the settings of its plugins, its workspace's among them, for the stages that act by them. */
export function requestWithPlugins(
  asked: ModelRequest,
  { planned, off, fields, model }: PluginPlan,
): ModelRequest {
  const named = model === undefined ? asked : { ...asked, model };
  const request = fields === undefined ? named : { ...named, ...fields };
  const able = planned.filter(({ fault }) => fault === undefined).map(({ use }) => use.options);
  const isSame = able.length === 0 && off.every((options) => request.plugins.includes(options));
  return isSame ? request : { ...request, plugins: [...able, ...off] };
}

const ONLINE = ":online";

/** Whether any name, or what it stands for, has the variant. Which endpoints it is for is known with the route. */
function namesOnline(
  deps: PluginNameDeps,
  { request: { model, models }, defaults }: PlanInput,
): boolean {
  const isOnline = (name: string | undefined) => name !== undefined && isOnlineName(deps, name);
  if (model !== undefined || models.length > 0) return isOnline(model) || models.some(isOnline);
  const { textModel = deps.defaultModel, imageModel = textModel } = defaults ?? {};
  return isOnline(textModel) || isOnline(imageModel);
}

function isOnlineName({ aliases = {} }: PluginNameDeps, name: string): boolean {
  const models = ownValue(aliases, name) ?? ownValue(aliases, stripVariants(name)) ?? [];
  return name.includes(ONLINE) || models.some((model) => model.includes(ONLINE));
}

/** The error of a request that cannot have a plugin; undefined where it goes on without it. */
export function pluginError(
  { use: { options: { id }, origin, path }, fault }: PlannedPlugin,
): ApiError | undefined {
  if (fault === undefined || (fault.kind === undefined && origin !== "request")) return undefined;
  const named = path === undefined ? `The plugin ${id}` : path;
  const field = fault.field === undefined ? named : `${named}.${fault.field}`;
  const metadata = path === undefined ? undefined : { path: fault.field === undefined ? path : field };
  const words = fault.field === undefined && path !== undefined ? `${path} (${id})` : field;
  return new ApiError(fault.kind ?? "invalid_request", `${words} ${fault.message}`, { metadata });
}
