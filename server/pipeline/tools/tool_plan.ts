/** Which server tools a request brings, and under which names its model sees them. */

import { ApiError } from "../../../shared/errors.ts";
import { serviceKindOf } from "../../../shared/fields/service_tool_names.ts";
import type { JsonObject } from "../../protocols/canonical/item.ts";
import type {
  FunctionTool,
  HostedTool,
  ModelRequest,
  ServerTool,
  Tool,
} from "../../protocols/canonical/request.ts";
import { findByHostedTool, findServerTool } from "./mod.ts";
import type { SettingsDeps } from "../settings_check.ts";
import { withFoundTools } from "./tool_search/client_tool_search.ts";
import { clientToolNames } from "./unknown_calls.ts";
import { isRunHere, type ToolDefinition, type ToolDeps } from "./tool_definition.ts";

/** A server tool as one request has it. */
export interface PlannedTool {
  readonly definition: ToolDefinition;
  /** Under which the model calls it. */
  readonly name: string;
  /** The type of its items, in the client's spelling. */
  readonly itemType: string;
  readonly settings: JsonObject;
}

export interface ToolPlan {
  /** Its tools say what is offered in their place. */
  readonly request: ModelRequest;
  readonly byName: ReadonlyMap<string, PlannedTool>;
  /** Names of the tools that the client answers. */
  readonly clientNames: ReadonlySet<string>;
}

type OwnTool = ServerTool | HostedTool;

interface Found {
  readonly tool: OwnTool;
  readonly definition: ToolDefinition;
}

interface ToolPlanOptions {
  readonly deps: ToolDeps;
  /** Tools of MCP servers that stand in the request as functions; absent: it has no such servers. */
  readonly listed?: readonly PlannedTool[];
  /** The caller has a spending limit. */
  readonly limited: boolean;
}

/** Resolves when it is known how the tools are described: a moment after the gateway's start, at once later. */
export async function whenToolsKnown(tools: readonly Tool[], deps: ToolDeps): Promise<void> {
  for (const tool of tools) await definitionOf(tool)?.whenKnown?.(deps);
}

/** Undefined for a request without tools that the gateway could run: it goes on as it is. */
export function planTools(request: ModelRequest, options: ToolPlanOptions): ToolPlan | undefined {
  const { listed } = options;
  if (request.tools.length === 0 && listed === undefined) return undefined;
  checkTools(request, options.deps);
  const found = findOwnTools(request.tools, options);
  if (found.length === 0 && listed === undefined) return undefined;
  const taken = new Set(request.tools.flatMap(namesOf));
  const planned = new Map<Tool, PlannedTool>();
  for (const { tool, definition } of found) {
    const form = formOf(tool, definition);
    const name = freeName(nameFor(definition, form.settings), taken);
    taken.add(name);
    planned.set(tool, { definition, name, ...form });
  }
  const own = request.tools.map((tool) => {
    const plan = planned.get(tool);
    return plan === undefined ? tool : withSubstitute(tool, { plan, ...options });
  });
  const tools = withFoundTools(own, request.input);
  return {
    request: { ...request, tools },
    byName: new Map([...planned.values(), ...listed ?? []].map((plan) => [plan.name, plan])),
    clientNames: clientToolNames(tools),
  };
}

interface AllowedToolsOptions extends ToolPlanOptions {
  /** Kinds that the caller's workspace has disabled. */
  readonly disabled: ReadonlySet<string> | undefined;
}

/** The same, and throws an ApiError (403) for a tool that the workspace has disabled, no matter who runs it. */
export function planAllowedTools(
  request: ModelRequest,
  { disabled, ...options }: AllowedToolsOptions,
): ToolPlan | undefined {
  const plan = planTools(request, options);
  checkDisabledTools(request.tools, disabled);
  return plan;
}

/** Throws an ApiError (400) for tools that no request may have as this one says, or a choice that none can meet. */
export function checkTools(request: Pick<ModelRequest, "tools" | "toolChoice">, deps: SettingsDeps): void {
  checkForcedTool(request);
  checkSettings(request.tools, { deps, path: "tools" });
  checkInstances(request.tools);
}

interface CheckedList {
  readonly deps: SettingsDeps;
  /** Where the tools stand in the request. */
  readonly path: string;
}

/** Throws an ApiError (400) for settings that the schemas of the API cannot judge. */
function checkSettings(tools: readonly Tool[], options: CheckedList): void {
  tools.forEach((tool, index) => {
    if (tool.type !== "server" && tool.type !== "hosted") return;
    const definition = definitionOf(tool);
    if (definition === undefined) return;
    const { settings } = formOf(tool, definition);
    const path = `${options.path}[${index}]`;
    if (options.path !== "tools" && !isRunHere(definition, settings)) {
      throw settingsError(
        `${path}.type`,
        "is a tool that the client carries out; only the gateway's own run here",
      );
    }
    const issue = definition.checkSettings?.({ settings, deps: options.deps });
    if (issue !== undefined) throw settingsError(`${path}.${issue.field}`, issue.message);
    checkSettings(definition.innerTools?.(settings) ?? [], { ...options, path: `${path}.tools` });
  });
}

const settingsError = (path: string, message: string): ApiError =>
  new ApiError("invalid_request", `${path} ${message}`, { metadata: { path } });

/** Throws an ApiError (400) for two tools of a kind that nothing tells apart, where a request may have several. */
function checkInstances(tools: readonly Tool[]): void {
  const known = new Set<string>();
  tools.forEach((tool, index) => {
    if (tool.type !== "server" && tool.type !== "hosted") return;
    const definition = definitionOf(tool);
    if (definition?.instanceOf === undefined) return;
    const name = definition.instanceOf(formOf(tool, definition).settings);
    const key = keyOf(definition, name);
    if (!known.has(key)) return void known.add(key);
    throw name === ""
      ? settingsError(`tools[${index}]`, `is a second ${definition.kind} without a name`)
      : settingsError(
        `tools[${index}].name`,
        `is ${JSON.stringify(name)}, which another tool is called already`,
      );
  });
}

const keyOf = ({ kind }: ToolDefinition, instance: string): string => `${kind} ${instance}`;

/** The first of each kind and name: no call could tell two of them apart. */
function findOwnTools(tools: readonly Tool[], options: ToolPlanOptions): readonly Found[] {
  const found = new Map<string, Found>();
  for (const tool of tools) {
    if (tool.type !== "server" && tool.type !== "hosted") continue;
    const definition = definitionOf(tool);
    if (definition === undefined) continue;
    const key = keyOf(definition, definition.instanceOf?.(formOf(tool, definition).settings) ?? "");
    if (found.has(key) || !isAvailable(definition, { tool, options })) continue;
    found.set(key, { tool, definition });
  }
  return [...found.values()];
}

interface Wanted {
  readonly tool: OwnTool;
  readonly options: ToolPlanOptions;
}

const isAvailable = (definition: ToolDefinition, { tool, options }: Wanted): boolean =>
  definition.isAvailable?.({ ...options, settings: formOf(tool, definition).settings }) !== false;

/** The tool of this gateway's that a request names, in any spelling. */
export function definitionOf(tool: Tool): ToolDefinition | undefined {
  if (tool.type === "server") return findServerTool(tool.kind);
  return tool.type === "hosted" ? findByHostedTool(tool) : undefined;
}

function formOf(tool: OwnTool, { hosted, kind }: ToolDefinition): Pick<PlannedTool, "itemType" | "settings"> {
  if (tool.type === "server") return { itemType: tool.originalType, settings: tool.parameters };
  return { itemType: hosted?.itemType ?? `service:${kind}`, settings: tool.value };
}

interface Substitution {
  readonly plan: PlannedTool;
  readonly limited: boolean;
  readonly deps: ToolDeps;
}

function withSubstitute(
  tool: Tool,
  { plan: { definition, name, settings }, limited, deps }: Substitution,
): Tool {
  const substitute: FunctionTool = { type: "function", name, ...definition.describe(settings, deps) };
  if (tool.type === "server") return { ...tool, substitute };
  if (tool.type !== "hosted") return tool;
  const isOnlyOurs = limited && definition.isUnpricedAtProvider === true;
  return { ...tool, substitute, ...(isOnlyOurs ? { isOnlyOurs } : {}) };
}

function namesOf(tool: Tool): readonly string[] {
  return tool.type === "function" || tool.type === "custom" || tool.type === "namespace" ? [tool.name] : [];
}

/** A tool's own name is a part of it. */
function nameFor({ kind, instanceOf }: ToolDefinition, settings: JsonObject): string {
  const instance = instanceOf?.(settings) ?? "";
  return instance === "" ? kind : `${kind}_${instance.replaceAll(" ", "_")}`.slice(0, MOST_OF_NAME);
}

/** Characters of a name, so that the whole is one that every provider takes. */
const MOST_OF_NAME = 48;

function freeName(wanted: string, taken: ReadonlySet<string>): string {
  let name = wanted;
  for (let number = 1; taken.has(name); number++) {
    name = number === 1 ? `service_${wanted}` : `service_${wanted}_${number}`;
  }
  return name;
}

/** Throws an ApiError (400) for a forced tool that this gateway cannot run. */
function checkForcedTool(request: Pick<ModelRequest, "tools" | "toolChoice">): void {
  const { toolChoice } = request;
  if (toolChoice?.type !== "hosted") return;
  const kind = serviceKindOf(toolChoice.kind);
  if (kind !== undefined && findServerTool(kind) === undefined) throw forcedToolError(request);
}

/** Why a request fails whose `tool_choice` forces a server tool that nobody can run for it. */
export function forcedToolError({ toolChoice, tools }: Pick<ModelRequest, "toolChoice" | "tools">): ApiError {
  const forced = toolChoice?.type === "hosted" ? toolChoice.kind : "";
  const kind = serviceKindOf(forced);
  const tool = tools.find((one) => one.type === "server" && one.kind === kind);
  const spelled = tool?.type === "server" ? tool.originalType : forced;
  const switchOn = (kind === undefined ? undefined : findServerTool(kind)?.switchOn) ??
    "Bring a function of your own instead; docs/server-tools.md lists the tools that it runs.";
  const message = `tool_choice forces ${spelled}, for which this gateway has no engine. ${switchOn}`;
  return new ApiError("invalid_request", message, { metadata: { path: "tool_choice" } });
}

function checkDisabledTools(tools: readonly Tool[], disabled: ReadonlySet<string> | undefined): void {
  if (disabled === undefined) return;
  for (const tool of tools) {
    checkDisabledTools(innerToolsOf(tool), disabled);
    const named = namedKind(tool);
    if (named === undefined || !disabled.has(named.kind)) continue;
    throw new ApiError("forbidden", `The workspace has disabled the server tool ${named.spelled}.`, {
      metadata: { tool: named.spelled },
    });
  }
}

/** Tools of the models that a tool runs. */
const innerToolsOf = (tool: Tool): readonly Tool[] =>
  tool.type === "server" ? findServerTool(tool.kind)?.innerTools?.(tool.parameters) ?? [] : [];

/** In any spelling, also one that its provider would run. */
function namedKind(tool: Tool): { readonly kind: string; readonly spelled: string } | undefined {
  if (tool.type === "server") return { kind: tool.kind, spelled: tool.originalType };
  const definition = definitionOf(tool);
  return definition === undefined || tool.type !== "hosted"
    ? undefined
    : { kind: definition.kind, spelled: tool.kind };
}
