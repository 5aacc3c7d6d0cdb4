/** Tools that a provider hosts or that only the Responses wire knows (specification, Tools). */

import * as z from "zod";
import { nonEmptyString } from "../fields/primitives.ts";
import { fileSearchParameters } from "./file_search.ts";
import { domains, namedEngine, userLocation, xSearch } from "./web_search.ts";

const text = z.string().nullish();
const count = z.int().min(1).nullish();
const strings = z.array(z.string()).nullish();
/** A hosted tool may be withheld until the tool search finds it, like a function. */
const defer_loading = z.boolean().nullish();

const webSearch = z.looseObject({
  type: z.literal([
    "web_search",
    "web_search_2025_08_26",
    "web_search_preview",
    "web_search_preview_2025_03_11",
  ]),
  engine: namedEngine,
  filters: z.looseObject({
    allowed_domains: domains,
    blocked_domains: domains,
    excluded_domains: domains,
  }).nullish(),
  max_results: count,
  max_uses: count,
  mode: text,
  search_context_size: z.enum(["low", "medium", "high"]).nullish(),
  user_location: userLocation.nullish(),
  x_search: xSearch.nullish(),
});

const fileSearch = z.looseObject({
  type: z.literal("file_search"),
  ...fileSearchParameters,
  vector_store_ids: z.array(z.string()),
});

const computer = z.looseObject({
  type: z.literal("computer_use_preview"),
  display_width: z.number().min(1),
  display_height: z.number().min(1),
  environment: z.enum(["windows", "mac", "linux", "ubuntu", "browser"]),
});

const codeInterpreter = z.looseObject({
  type: z.literal("code_interpreter"),
  container: z.union([
    z.string(),
    z.looseObject({
      type: z.literal("auto"),
      file_ids: strings,
      memory_limit: z.enum(["1g", "4g", "16g", "64g"]).nullish(),
    }),
  ]),
});

const named = z.looseObject({ tool_names: strings });
const approval = z.looseObject({ always: named.nullish(), never: named.nullish() });

const mcp = z.looseObject({
  type: z.literal("mcp"),
  server_label: nonEmptyString,
  server_url: text,
  connector_id: text,
  authorization: text,
  headers: z.object({}).catchall(z.string()).nullish(),
  allowed_tools: z.union([z.array(z.string()), named]).nullish(),
  require_approval: z.union([z.enum(["always", "never"]), approval]).nullish(),
  server_description: text,
  defer_loading,
});

const imageGeneration = z.looseObject({
  type: z.literal("image_generation"),
  model: text,
  size: text,
  quality: z.enum(["low", "medium", "high", "xhigh", "max", "auto"]).nullish(),
  background: z.enum(["transparent", "opaque", "auto"]).nullish(),
  output_format: z.enum(["png", "webp", "jpeg", "gif", "svg"]).nullish(),
  output_compression: z.int().min(0).max(100).nullish(),
  partial_images: z.int().min(0).max(3).nullish(),
  moderation: z.enum(["auto", "low"]).nullish(),
  input_fidelity: z.enum(["high", "low"]).nullish(),
  input_image_mask: z.looseObject({ file_id: text, image_url: text }).nullish(),
});

/** Tools without settings of their own, and those that one client family knows. */
const plain = z.looseObject({
  type: z.literal([
    "local_shell",
    "shell",
    "apply_patch",
    "computer",
    "tool_search",
    "programmatic_tool_calling",
  ]),
});

export const hostedTools = [
  webSearch,
  fileSearch,
  computer,
  codeInterpreter,
  mcp,
  imageGeneration,
  plain,
] as const;

type HostedToolInput = z.infer<(typeof hostedTools)[number]>;
export type HostedToolKind = HostedToolInput["type"];
