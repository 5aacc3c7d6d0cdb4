/** Plugins of a request (specification, Plugin objects; specification, Plugins). */

import * as z from "zod";
import { fusionPresetNames } from "../fields/fusion.ts";
import { isRecord } from "../util/json.ts";
import { ownValue } from "../util/own_value.ts";
import { countCodePoints } from "../validation/validate.ts";
import { nonEmptyString } from "../fields/primitives.ts";
import { analysisModels, fusionTools } from "./service_tools.ts";
import { domains, searchEngine, searchMode, searchPrompt, userLocation, xSearch } from "./web_search.ts";

/** False switches the plugin off for this request; default true. */
const enabled = z.boolean().nullish();
const count = z.int().min(1).nullish();

const PATTERNS = 1024;
const PATTERN_LENGTH = 1024;
const PATTERNS_LENGTH = 65_536;

/** Model patterns (`vendor/*`) under the limits of specification, Limits. */
const patterns = z.array(z.string()).check((payload) => {
  const complaint = judgePatterns(payload.value);
  if (complaint === undefined) return;
  payload.issues.push({ code: "custom", input: payload.value, ...complaint });
}).nullish();

interface Complaint {
  readonly message: string;
  readonly path?: PropertyKey[];
}

function judgePatterns(list: readonly string[]): Complaint | undefined {
  if (list.length > PATTERNS) {
    return { message: `has ${list.length} patterns; at most ${PATTERNS} are allowed` };
  }
  let total = 0;
  for (const [index, pattern] of list.entries()) {
    const length = countCodePoints(pattern);
    total += length;
    if (length <= PATTERN_LENGTH) continue;
    const message = `is ${length} characters long; at most ${PATTERN_LENGTH} are allowed`;
    return { message, path: [index] };
  }
  if (total <= PATTERNS_LENGTH) return undefined;
  return { message: `has ${total} characters in total; at most ${PATTERNS_LENGTH} are allowed` };
}

const routerFields = {
  enabled,
  allowed_models: patterns,
  excluded_models: patterns,
  cost_tier: z.enum(["low", "medium", "high", "xhigh", "max"]).nullish(),
  cost_quality_tradeoff: z.int().min(0).max(10).nullish(),
};

const web = z.looseObject({
  id: z.literal("web"),
  enabled,
  engine: searchEngine.nullish(),
  max_results: count,
  include_domains: domains,
  exclude_domains: domains,
  mode: searchMode.nullish(),
  search_prompt: searchPrompt,
  max_uses: count,
  user_location: userLocation.extend({ type: z.literal("approximate") }).nullish(),
  x_search: xSearch.nullish(),
});

const webFetch = z.looseObject({
  id: z.literal("web-fetch"),
  enabled,
  allowed_domains: domains,
  blocked_domains: domains,
  max_content_tokens: count,
  max_uses: count,
});

/** `pdf-text` is the older name of `cloudflare-ai`. */
const pdf = z.looseObject({
  engine: z.enum(["mistral-ocr", "native", "cloudflare-ai", "pdf-text"]).nullish(),
});

/** `max_price` is USD per million input tokens and takes precedence over `min_coding_score`. */
const paretoRouter = z.looseObject({
  id: z.literal("pareto-router"),
  enabled,
  max_price: z.number().min(0).nullish(),
  min_coding_score: z.number().min(0).max(1).nullish(),
  price_source: z.enum(["prompt", "weighted_avg"]).nullish(),
});

const fusion = z.looseObject({
  id: z.literal("fusion"),
  enabled,
  analysis_models: analysisModels,
  model: nonEmptyString.nullish(),
  preset: z.enum(fusionPresetNames).nullish(),
  max_tool_calls: z.int().min(1).max(16).nullish(),
  tools: fusionTools,
});

const plugin = z.discriminatedUnion("id", [
  z.looseObject({ id: z.literal("auto-router"), ...routerFields, pin_model: z.boolean().nullish() }),
  z.looseObject({ id: z.literal("auto-beta-router"), ...routerFields }),
  z.looseObject({ id: z.literal("moderation") }),
  web,
  webFetch,
  z.looseObject({ id: z.literal("file-parser"), enabled, pdf: pdf.nullish() }),
  z.looseObject({ id: z.literal("response-healing"), enabled }),
  z.looseObject({ id: z.literal("context-compression"), enabled, engine: z.enum(["middle-out"]).nullish() }),
  paretoRouter,
  fusion,
  z.looseObject({
    id: z.literal("switchyard-router"),
    enabled,
    algorithm: z.enum(["capability", "stage", "auto", "random", "composite", "passthrough"]).nullish(),
  }),
]);
export type Plugin = z.infer<typeof plugin>;
export type PluginId = Plugin["id"];
export const pluginIds: readonly PluginId[] = plugin.options.map((option) => option.shape.id.value);

/** `enabled` means nothing to moderation. */
export const isPluginOn = (entry: Plugin): boolean => entry.id === "moderation" || entry.enabled !== false;

const schemaById: ReadonlyMap<PluginId, z.ZodObject> = new Map(
  plugin.options.map((option) => [option.shape.id.value, option]),
);

/** Names in a plugin that are no setting of it, those inside of a setting too (`pdf.pages`): they mean nothing. */
export function unknownSettings(entry: Plugin): readonly string[] {
  const schema = schemaById.get(entry.id);
  return schema === undefined ? [] : unknownNames(entry, { schema, inside: "" });
}

interface Inside {
  readonly schema: z.ZodObject;
  /** Name of the setting with a point behind it; empty for the plugin itself. */
  readonly inside: string;
}

function unknownNames(
  value: Readonly<Record<string, unknown>>,
  { schema, inside }: Inside,
): readonly string[] {
  return Object.entries(value).flatMap(([name, one]) => {
    const setting = ownValue(schema.shape, name);
    if (setting === undefined) return [inside + name];
    const object = objectSchema(setting);
    return object === undefined || !isRecord(one)
      ? []
      : unknownNames(one, { schema: object, inside: `${inside}${name}.` });
  });
}

/** The object that a setting may be. */
function objectSchema(setting: unknown): z.ZodObject | undefined {
  if (setting instanceof z.ZodOptional || setting instanceof z.ZodNullable) {
    return objectSchema(setting.unwrap());
  }
  return setting instanceof z.ZodObject ? setting : undefined;
}

/** Each id once: of two entries nobody could say which one holds. */
const uniqueIds = (field: string) =>
  z.check<readonly Plugin[]>(({ value, issues }) => {
    const first = new Map<PluginId, number>();
    for (const [position, { id }] of value.entries()) {
      const before = first.get(id);
      if (before === undefined) first.set(id, position);
      else {
        const message = `is "${id}", as ${field}[${before}].id is; an id may stand there once`;
        issues.push({ code: "custom", input: id, path: [position, "id"], message });
      }
    }
  });

/** `plugins` of a request. */
export const plugins = z.array(plugin).check(uniqueIds("plugins"));

/** Bytes of all defaults of a workspace as JSON: they lie in its record. */
const DEFAULTS_BYTES = 16_384;

/** Entries of `default_plugins` of a workspace. A request can neither change nor disable one that is locked. */
export const defaultPlugin = z.intersection(plugin, z.looseObject({ locked: z.boolean().nullish() }));
export type DefaultPlugin = z.infer<typeof defaultPlugin>;

export const defaultPlugins = z.array(defaultPlugin).check(
  uniqueIds("default_plugins"),
  ({ value, issues }) => {
    const { length } = new TextEncoder().encode(JSON.stringify(value));
    if (length <= DEFAULTS_BYTES) return;
    const message = `has ${length} bytes as JSON; at most ${DEFAULTS_BYTES} are allowed`;
    issues.push({ code: "custom", input: value, message });
  },
);

/** A plugin in the answer of `POST /v1/route/explain`, and what it would do; nothing of it is done. */
export const pluginExplanation = z.looseObject({ id: z.string(), would: z.string() });
export type PluginExplanation = z.infer<typeof pluginExplanation>;
