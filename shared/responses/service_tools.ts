/**
 * Server tools, which the gateway runs itself (specification, Tools). One client family nests the settings under
 * `parameters`, another puts them beside `type`; both places are checked alike and merged later.
 */

import * as z from "zod";
import { cacheControlSchema } from "../fields/cache_control.ts";
import { jsonObject, nonEmptyString, reasoningEffort } from "../fields/primitives.ts";
import { type ServiceToolKind, typeNamesOf } from "../fields/service_tool_names.ts";
import { fileSearchParameters } from "./file_search.ts";
import { domains, webSearchParameters } from "./web_search.ts";

const text = z.string().nullish();
const flag = z.boolean().nullish();
const count = z.int().min(1).nullish();
const strings = z.array(z.string()).nullish();
const temperature = z.number().min(0).max(2).nullish();
const reasoning = z.looseObject({ effort: reasoningEffort.nullish(), max_tokens: count }).nullish();
/** Unique among the tools of its kind, and a part of a function name shown to the model. */
export const instanceName = z.string().min(1).max(64).regex(/^[a-zA-Z0-9 _-]+$/, {
  error: "has characters other than letters, digits, spaces, _ and -",
}).nullish();

const networkPolicy = z.discriminatedUnion("type", [
  z.looseObject({ type: z.literal("disabled") }),
  z.looseObject({ type: z.literal("allowlist"), allowed_domains: z.array(z.string()).max(50) }),
]);
const container = {
  file_ids: z.array(z.string()).max(20).nullish(),
  network_policy: networkPolicy.nullish(),
};
const containerId = z.string().min(1).max(40).regex(/^[A-Za-z0-9_-]+$/, {
  error: "has characters other than letters, digits, _ and -",
});

/** Where bash and shell run. Network access is off unless a policy allows it. */
const containerEnvironment = z.discriminatedUnion("type", [
  z.looseObject({ type: z.literal("container_auto"), ...container }),
  z.looseObject({ type: z.literal("container_reference"), container_id: containerId, ...container }),
]);

/** Seconds; at most 30 days. */
const sleepAfter = z.int().min(1).max(2_592_000).nullish();
const environment = containerEnvironment.nullish();
/** The place where bash runs or a patch is applied; `container` is a word of this gateway's. */
const engine = z.enum(["auto", "native", "openrouter", "container"]).nullish();

/** Tools that only the client could run. */
const clientTools: ReadonlySet<string> = new Set(["function", "custom", "namespace"]);

/** A tool for the models that a tool starts: server tools only, the others have nobody to run them. */
const innerTool = z.looseObject({ type: nonEmptyString, parameters: jsonObject.nullish() }).check(
  (payload) => {
    if (!clientTools.has(payload.value.type)) return;
    payload.issues.push({
      code: "custom",
      message: `is "${payload.value.type}"; only server tools are allowed here`,
      input: payload.value,
      path: ["type"],
    });
  },
);

export const fusionTools = z.array(innerTool).max(8).nullish();
export const analysisModels = z.array(nonEmptyString).min(1).max(8).nullish();

function serviceTool<Kind extends ServiceToolKind, Shape extends z.core.$ZodLooseShape>(
  kind: Kind,
  shape: Shape,
) {
  return z.looseObject({
    ...shape,
    type: z.literal(typeNamesOf(kind)),
    parameters: z.looseObject(shape).nullish(),
  });
}

export const serviceTools = [
  serviceTool("datetime", { timezone: text }),
  serviceTool("web_search", webSearchParameters),
  serviceTool("web_fetch", {
    engine: z.enum(["auto", "native", "openrouter", "exa", "parallel", "firecrawl"]).nullish(),
    max_uses: count,
    max_content_tokens: count,
    allowed_domains: domains,
    blocked_domains: domains,
  }),
  serviceTool("files", {}),
  serviceTool("file_search", fileSearchParameters),
  serviceTool("bash", { engine, environment, sleep_after_seconds: sleepAfter }),
  serviceTool("shell", {
    engine: z.enum(["auto", "openrouter"]).nullish(),
    environment,
    sleep_after_seconds: sleepAfter,
  }),
  serviceTool("apply_patch", { engine }),
  serviceTool("image_generation", { model: text }),
  serviceTool("advisor", {
    name: instanceName,
    model: text,
    instructions: text,
    forward_transcript: flag,
    stream: flag,
    max_completion_tokens: count,
    temperature,
    reasoning,
  }),
  serviceTool("subagent", {
    name: instanceName,
    model: text,
    instructions: text,
    tools: z.array(innerTool).nullish(),
    max_tool_calls: z.int().min(1).max(25).nullish(),
    max_completion_tokens: count,
    temperature,
    reasoning,
    inherit_functions: flag,
    inherited_function_names: strings,
  }),
  serviceTool("fusion", {
    analysis_models: analysisModels,
    model: nonEmptyString.nullish(),
    max_tool_calls: z.int().min(1).max(16).nullish(),
    max_completion_tokens: count,
    reasoning,
    temperature,
    tools: fusionTools,
    cache_control: cacheControlSchema.nullish(),
  }),
  serviceTool("search_models", { max_results: z.int().min(1).max(20).nullish() }),
  serviceTool("tool_search", { max_results: z.int().min(1).max(50).nullish() }),
] as const;
