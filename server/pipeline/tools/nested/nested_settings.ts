/** Settings that the tools with nested runs have in common. */

import * as z from "zod";
import { serviceKindOf } from "../../../../shared/fields/service_tool_names.ts";
import { isRecord } from "../../../../shared/util/json.ts";
import type { ReasoningOptions, ServerTool } from "../../../protocols/canonical/request.ts";

/** A tool of a nested run, as a client names it. */
export const innerToolSchema = z.object({
  type: z.string(),
  parameters: z.record(z.string(), z.unknown()).nullish(),
});
export type InnerTool = z.infer<typeof innerToolSchema>;

export function toServerTool({ type, parameters }: InnerTool): ServerTool {
  const kind = serviceKindOf(type) ?? type;
  return { type: "server", kind, originalType: type, parameters: isRecord(parameters) ? parameters : {} };
}

/** The API's schemas have judged it; a value of another kind is read as absent. */
export const reasoningSchema = z.object({ effort: z.string().nullish(), max_tokens: z.int().nullish() })
  .nullish().catch(undefined).transform((value): ReasoningOptions | undefined =>
    value === null || value === undefined
      ? undefined
      : { effort: value.effort ?? undefined, maxTokens: value.max_tokens ?? undefined }
  );
