/**
 * Fields that speak to the gateway itself, the same in the body of every API (specification, Request body, §9.9).
 */

import * as z from "zod";
import { cacheControlSchema } from "./cache_control.ts";
import { boundedText, nonEmptyString } from "./primitives.ts";
import { providerPreferences, stopCondition, trace } from "./gateway_preferences.ts";
import { plugins } from "../responses/plugins.ts";
import { imageConfig } from "../responses/request.ts";

/** For the shape of a request's object. */
export const gatewayFields = {
  models: z.array(nonEmptyString).nullish(),
  provider: providerPreferences.nullish(),
  plugins: plugins.nullish(),
  /** Slug of the preset that fills in what the request does not say; it is gone before the request is read. */
  preset: z.string().nullish(),
  session_id: boundedText(256).nullish(),
  user: boundedText(256).nullish(),
  trace: trace.nullish(),
  debug: z.looseObject({ echo_upstream_body: z.boolean().nullish() }).nullish(),
  cache_control: cacheControlSchema.nullish(),
  image_config: imageConfig.nullish(),
  max_tool_calls: z.int().min(1).max(30).nullish(),
  stop_server_tools_when: z.array(stopCondition).min(1).nullish(),
  prompt_cache_key: z.string().nullish(),
  safety_identifier: z.string().nullish(),
  route: z.enum(["fallback", "sort"]).nullish(),
} as const;

const fields = z.looseObject(gatewayFields);
export type GatewayFields = z.infer<typeof fields>;
