/** Settings of a run: those of the tool, over those of the plugin, over those of a preset, over the defaults. */

import * as z from "zod";
import { bash } from "../containers/bash.ts";
import type { CacheBreakpoint, JsonObject } from "../../../protocols/canonical/item.ts";
import type { ReasoningOptions, ServerTool } from "../../../protocols/canonical/request.ts";
import { type InnerTool, innerToolSchema, reasoningSchema, toServerTool } from "../nested/nested_settings.ts";
import {
  type FusionPreset,
  fusionPresetNames,
  type FusionPresets,
} from "../../../../shared/fields/fusion.ts";

export interface FusionSettings {
  /** Names of the panel's models, 1 to 8. */
  readonly panel: readonly string[];
  /** Undefined: the model that called the tool. */
  readonly analyst: string | undefined;
  /** Steps of tools, for each member and for the analyst. */
  readonly maxToolCalls: number;
  /** Tokens, reasoning included. */
  readonly maxTokens: number;
  readonly tools: readonly ServerTool[];
  /** Tools that no model of a run gets, as they were named. */
  readonly leftOut: readonly string[];
  readonly reasoning: ReasoningOptions | undefined;
  /** For the panel only. */
  readonly temperature: number | undefined;
  readonly cache: CacheBreakpoint | undefined;
}

export const TOOL_CALLS = 4;
const MAX_TOKENS = 16_000;

/** The API's schemas have judged it; a value of another kind is read as absent. */
const settingsSchema = z.object({
  analysis_models: z.array(z.string()).min(1).max(8).nullish().catch(undefined),
  model: z.string().min(1).nullish().catch(undefined),
  preset: z.enum(fusionPresetNames).nullish().catch(undefined),
  max_tool_calls: z.int().min(1).max(16).nullish().catch(undefined),
  max_completion_tokens: z.int().min(1).nullish().catch(undefined),
  tools: z.array(innerToolSchema).max(8).nullish().catch(undefined),
  reasoning: reasoningSchema,
  temperature: z.number().nullish().catch(undefined),
  cache_control: z.looseObject({ ttl: z.string().nullish() }).nullish().catch(undefined),
});

interface SettingsContext {
  readonly presets: FusionPresets;
  /** Kinds of server tools that the workspace has disabled: nobody is given them by default. */
  readonly disabled: ReadonlySet<string> | undefined;
}

export function fusionSettings(
  settings: JsonObject,
  { presets, disabled }: SettingsContext,
): FusionSettings {
  const read = settingsSchema.parse(settings);
  const named = read.preset === undefined || read.preset === null ? undefined : presets[read.preset];
  const preset: FusionPreset = named ?? presets["general-high"];
  const tools = read.tools?.map(toServerTool) ??
    defaultTools.map(toServerTool).filter(({ kind }) => disabled?.has(kind) !== true);
  return {
    panel: read.analysis_models ?? preset.analysis_models,
    analyst: read.model ?? (named === undefined ? undefined : named.model ?? named.analysis_models[0]),
    maxToolCalls: read.max_tool_calls ?? TOOL_CALLS,
    maxTokens: read.max_completion_tokens ?? MAX_TOKENS,
    tools: tools.filter(isInner),
    leftOut: tools.filter((tool) => !isInner(tool)).map(({ originalType }) => originalType),
    reasoning: read.reasoning,
    temperature: read.temperature ?? undefined,
    cache: read.cache_control ? { ttl: read.cache_control.ttl ?? undefined } : undefined,
  };
}

/** Tools that the settings name for panel and analyst, as far as a run takes them. */
export const namedTools = (settings: JsonObject): readonly ServerTool[] =>
  settingsSchema.parse(settings).tools?.map(toServerTool).filter(isInner) ?? [];

const defaultTools: readonly InnerTool[] = [
  { type: "service:web_search" },
  { type: "service:web_fetch" },
];

/** The gateway runs them, for anybody: none asks the client, and none starts models of its own. */
const innerTools: ReadonlySet<string> = new Set([
  "datetime",
  "search_models",
  "web_search",
  "web_fetch",
  "bash",
  "shell",
]);

/** Not for a shell of the client's. */
const isInner = ({ kind, parameters }: ServerTool): boolean =>
  innerTools.has(kind) && (kind !== bash.kind || bash.runsHere?.(parameters) !== false);
