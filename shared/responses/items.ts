/**
 * Input items (specification, Input items): the ones that every wire knows, here; replayed items of hosted and of
 * server tools in `hosted_items.ts` and `items.ts`. Ids and statuses are optional, because real clients
 * strip them and send nulls (specification, Clients).
 */

import * as z from "zod";
import { itemStatus, nonEmptyString, reasoningEffort } from "../fields/primitives.ts";
import { hostedItems } from "./hosted_items.ts";
import { agentPart, messagePart, reasoningText, resultPart, summaryText } from "./parts.ts";
import { textFormat } from "./text_config.ts";
import { tool } from "./tools.ts";
import { serviceItemKinds, typeNamesOf } from "../fields/service_tool_names.ts";

const serviceItem = z.looseObject({
  type: z.literal(serviceItemKinds.flatMap((kind) => typeNamesOf(kind))),
  id: z.string().nullish(),
  status: z.string().nullish(),
  call_id: z.string().nullish(),
});
export type ServiceItem = z.infer<typeof serviceItem>;

const id = z.string().nullish();
const status = itemStatus.nullish();
const phase = z.enum(["commentary", "final_answer"]).nullish();
const role = z.enum(["user", "assistant", "system", "developer"]);
const content = z.union([z.string(), z.array(messagePart)]).nullish();

const messageItem = z.looseObject({ type: z.literal("message"), role, content, id, status, phase });

/** The easy message without a type, and `{"id": "rs_1"}`, which the OpenAI schema takes for an item reference. */
const untypedItem = z.looseObject({
  type: z.literal([undefined, null]).optional(),
  role: role.optional(),
  content,
  id,
  status,
  phase,
}).check((payload) => {
  const item = payload.value;
  if (item.role !== undefined || (typeof item.id === "string" && !("content" in item))) return;
  payload.issues.push({ code: "custom", message: "has neither a type nor a role", input: item });
});

const reasoningItem = z.looseObject({
  type: z.literal("reasoning"),
  id,
  summary: z.array(summaryText).nullish(),
  content: z.array(reasoningText).nullish(),
  encrypted_content: z.string().nullish(),
  signature: z.string().nullish(),
  format: z.string().nullish(),
  status,
});

const call = { call_id: nonEmptyString, name: nonEmptyString, namespace: z.string().nullish(), id, status };

const functionCall = z.looseObject({
  type: z.literal("function_call"),
  arguments: z.string(),
  ...call,
});
const customCall = z.looseObject({ type: z.literal("custom_tool_call"), input: z.string(), ...call });

const result = { call_id: nonEmptyString, output: z.union([z.string(), z.array(resultPart)]), id, status };

const functionResult = z.looseObject({ type: z.literal("function_call_output"), ...result });
const customResult = z.looseObject({ type: z.literal("custom_tool_call_output"), ...result });

const itemReference = z.looseObject({ type: z.literal("item_reference"), id: nonEmptyString });

/** Tools that join `tools` from here on. */
const additionalTools = z.looseObject({
  type: z.literal("additional_tools"),
  role: z.string().nullish(),
  tools: z.array(tool),
  id,
});

const agentMessage = z.looseObject({
  type: z.literal("agent_message"),
  author: nonEmptyString,
  recipient: nonEmptyString,
  content: z.array(agentPart),
  agent: z.looseObject({ agent_name: z.string() }).nullish(),
  id,
});

/** Changes the reasoning effort or the format of the answer from here on. */
const configurationUpdate = z.looseObject({
  type: z.literal("configuration_update"),
  reasoning: z.looseObject({ effort: reasoningEffort.nullish() }).nullish(),
  text: z.looseObject({ format: textFormat.nullish() }).nullish(),
  id,
});

export const inputItem = z.discriminatedUnion("type", [
  messageItem,
  untypedItem,
  reasoningItem,
  functionCall,
  functionResult,
  customCall,
  customResult,
  itemReference,
  additionalTools,
  agentMessage,
  configurationUpdate,
  ...hostedItems,
  serviceItem,
]);
export type InputItem = z.infer<typeof inputItem>;
export type MessageItemInput = z.infer<typeof messageItem> | z.infer<typeof untypedItem>;
export type ReasoningInput = z.infer<typeof reasoningItem>;
export type CallInput = z.infer<typeof functionCall> | z.infer<typeof customCall>;
export type ResultInput = z.infer<typeof functionResult> | z.infer<typeof customResult>;
export type AgentMessageInput = z.infer<typeof agentMessage>;
