/** Settings that the tools with nested runs have in common. */

import * as z from "zod";
import { namesFusion } from "../../../../shared/fields/fusion.ts";
import { instanceName } from "../../../../shared/responses/service_tools.ts";
import { serviceKindOf } from "../../../../shared/fields/service_tool_names.ts";
import { isRecord } from "../../../../shared/util/json.ts";
import type { JsonObject } from "../../../protocols/canonical/item.ts";
import type { ReasoningOptions, ServerTool } from "../../../protocols/canonical/request.ts";
import type { SettingsIssue } from "../tool_definition.ts";
import { NO_FUSION } from "./run_limits.ts";

/** A tool of a nested run, as a client names it. */
export const innerToolSchema = z.looseObject({
  type: z.string(),
  parameters: z.record(z.string(), z.unknown()).nullish(),
});
export type InnerTool = z.infer<typeof innerToolSchema>;

/** Settings stand flat in it or under `parameters`. */
export function toServerTool({ type, parameters, ...flat }: InnerTool): ServerTool {
  const kind = serviceKindOf(type) ?? type;
  const settings = { ...flat, ...(isRecord(parameters) ? parameters : {}) };
  return { type: "server", kind, originalType: type, parameters: settings };
}

/** The API's schemas have judged it; a value of another kind is read as absent. */
export const reasoningSchema = z.object({ effort: z.string().nullish(), max_tokens: z.int().nullish() })
  .nullish().catch(undefined).transform((value): ReasoningOptions | undefined =>
    value === null || value === undefined
      ? undefined
      : { effort: value.effort ?? undefined, maxTokens: value.max_tokens ?? undefined }
  );

const present = <T>(value: T | null | undefined): T | undefined => value ?? undefined;
const text = z.string().min(1).nullish().catch(undefined).transform(present);
const count = z.int().min(1).nullish().catch(undefined).transform(present);
const temperature = z.number().min(0).max(2).nullish().catch(undefined).transform(present);
export const flag = z.boolean().nullish().catch(undefined).transform((value) => value === true);

/** Settings of advisors and subagents alike. */
export const nestedSettings = {
  name: text,
  model: text,
  instructions: text,
  max_completion_tokens: count,
  temperature,
  reasoning: reasoningSchema,
} as const;

/** Name of a tool among those of its kind; "" for one without. */
export const instanceNameOf = ({ name }: JsonObject): string => typeof name === "string" ? name.trim() : "";

/** Finds a fault of a name, and of a model that cannot run within a request. */
export function checkNestedSettings({ name, model }: JsonObject): SettingsIssue | undefined {
  const { success, error } = instanceName.safeParse(name);
  if (!success) return { field: "name", message: error.issues[0]?.message ?? "is no name" };
  if (typeof name === "string" && name.trim() === "") return { field: "name", message: "is blank" };
  return typeof model === "string" && namesFusion(model) ? { field: "model", message: NO_FUSION } : undefined;
}
