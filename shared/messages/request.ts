/**
 * The body of POST /messages (specification, Chat completions, embeddings, messages, misc inference): Anthropic's,
 * with the gateway's own fields. Nothing here transforms. Null means absent.
 */

import * as z from "zod";
import { gatewayFields } from "../fields/gateway_fields.ts";
import { jsonObject, nonEmptyString, reasoningEffort } from "../fields/primitives.ts";
import { blockSchema, textBlockSchema } from "./blocks.ts";
import { messagesTool, messagesToolChoice } from "./tools.ts";

const message = z.looseObject({
  role: z.enum(["user", "assistant", "system"]),
  content: z.union([z.string(), z.array(blockSchema)]),
});
export type MessagesMessageInput = z.infer<typeof message>;

/** `updates`: what the model says of its progress while it thinks. */
const display = z.enum(["summarized", "omitted", "updates"]).nullish();

const thinking = z.discriminatedUnion("type", [
  z.looseObject({ type: z.literal("enabled"), budget_tokens: z.int().min(1).nullish(), display }),
  z.looseObject({ type: z.literal("adaptive"), display }),
  z.looseObject({ type: z.literal(["disabled", "between_tools"]) }),
]);
const jsonFormat = z.looseObject({ type: z.literal("json_schema"), schema: jsonObject });

export const messagesRequest = z.looseObject({
  model: nonEmptyString.nullish(),
  messages: z.array(message).min(1),
  system: z.union([z.string(), z.array(textBlockSchema)]).nullish(),
  max_tokens: z.int().min(1),
  stream: z.boolean().nullish(),
  temperature: z.number().min(0).max(1).nullish(),
  top_p: z.number().min(0).max(1).nullish(),
  top_k: z.int().min(0).nullish(),
  stop_sequences: z.array(z.string()).nullish(),
  tools: z.array(messagesTool).nullish(),
  tool_choice: messagesToolChoice.nullish(),
  thinking: thinking.nullish(),
  output_config: z.looseObject({ effort: reasoningEffort.nullish(), format: jsonFormat.nullish() }).nullish(),
  /** Older name of `output_config.format`. */
  output_format: jsonFormat.nullish(),
  metadata: z.looseObject({ user_id: z.string().nullish() }).nullish(),
  service_tier: z.enum(["auto", "standard_only", "default", "fast", "flex", "priority", "scale"]).nullish(),
  /** Models that are tried when the first one cannot answer. */
  fallbacks: z.array(z.union([nonEmptyString, z.looseObject({ model: nonEmptyString })])).nullish(),
  /** A conversation that the server keeps; refused where the request is read, with a code of its own. */
  thread: jsonObject.nullish(),
  ...gatewayFields,
});
export type MessagesRequest = z.infer<typeof messagesRequest>;
