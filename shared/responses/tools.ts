/**
 * Tools (specification, Tools): those that the client runs, here; the rest in `hosted_tools.ts`,
 * `service_tools.ts`.
 */

import * as z from "zod";
import { jsonObject, nonEmptyString } from "../fields/primitives.ts";
import { hostedTools } from "./hosted_tools.ts";
import { serviceTools } from "./service_tools.ts";

const description = z.string().nullish();
const defer_loading = z.boolean().nullish();

/** `parameters` is a JSON schema; real clients leave it out or send null for a tool without arguments. */
const functionTool = z.looseObject({
  type: z.literal("function"),
  name: nonEmptyString,
  description,
  parameters: jsonObject.nullish(),
  strict: z.boolean().nullish(),
  defer_loading,
});

const customFormat = z.discriminatedUnion("type", [
  z.looseObject({ type: z.literal("text") }),
  z.looseObject({
    type: z.literal("grammar"),
    syntax: z.enum(["lark", "regex"]),
    definition: z.string(),
  }),
]);

const customTool = z.looseObject({
  type: z.literal("custom"),
  name: nonEmptyString,
  description,
  format: customFormat.nullish(),
  defer_loading,
});

const namespaceTool = z.looseObject({
  type: z.literal("namespace"),
  name: nonEmptyString,
  description,
  tools: z.array(z.discriminatedUnion("type", [functionTool, customTool])),
});

export const tool = z.discriminatedUnion("type", [
  functionTool,
  customTool,
  namespaceTool,
  ...hostedTools,
  ...serviceTools,
]);
export type ToolInput = z.infer<typeof tool>;
export type FunctionToolInput = z.infer<typeof functionTool>;
export type CustomToolInput = z.infer<typeof customTool>;
export type NamespaceToolInput = z.infer<typeof namespaceTool>;
