/**
 * Tools of a chat and how the model may choose among them (specification, Chat completions, embeddings, messages,
 * misc inference).
 */

import * as z from "zod";
import { jsonObject, nonEmptyString } from "../fields/primitives.ts";
import { hostedTools } from "../responses/hosted_tools.ts";
import { serviceTools } from "../responses/service_tools.ts";
import { hostedChoice, serverChoice } from "../responses/tool_choice.ts";

const functionTool = z.looseObject({
  type: z.literal("function"),
  function: z.looseObject({
    name: nonEmptyString,
    description: z.string().nullish(),
    parameters: jsonObject.nullish(),
    strict: z.boolean().nullish(),
  }),
});
export type ChatFunctionTool = z.infer<typeof functionTool>;

/** A grammar is nested once more here than in the Responses API. */
const customFormat = z.discriminatedUnion("type", [
  z.looseObject({ type: z.literal("text") }),
  z.looseObject({
    type: z.literal("grammar"),
    grammar: z.looseObject({ syntax: z.enum(["lark", "regex"]), definition: z.string() }),
  }),
]);

const customTool = z.looseObject({
  type: z.literal("custom"),
  custom: z.looseObject({
    name: nonEmptyString,
    description: z.string().nullish(),
    format: customFormat.nullish(),
  }),
});
export type ChatCustomTool = z.infer<typeof customTool>;

/** The client's own, the gateway's, and the shorthands for what a provider hosts. */
export const chatTool = z.discriminatedUnion("type", [
  functionTool,
  customTool,
  ...hostedTools,
  ...serviceTools,
]);
export type ChatToolInput = z.infer<typeof chatTool>;

const namedFunction = z.looseObject({
  type: z.literal("function"),
  function: z.looseObject({ name: nonEmptyString }),
});
const namedCustom = z.looseObject({
  type: z.literal("custom"),
  custom: z.looseObject({ name: nonEmptyString }),
});
const named = z.discriminatedUnion("type", [namedFunction, namedCustom]);
export type NamedChoice = z.infer<typeof named>;

const allowed = z.looseObject({
  type: z.literal("allowed_tools"),
  allowed_tools: z.looseObject({ mode: z.enum(["auto", "required"]), tools: z.array(named) }),
});

const choiceObject = z.discriminatedUnion("type", [
  namedFunction,
  namedCustom,
  allowed,
  hostedChoice,
  serverChoice,
]);
export const chatToolChoice = z.union([z.enum(["auto", "none", "required"]), choiceObject]);
export type ChatToolChoice = z.infer<typeof chatToolChoice>;
