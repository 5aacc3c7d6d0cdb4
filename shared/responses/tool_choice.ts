/**
 * `tool_choice` (specification, Nested request objects): a word, or an object that names a tool or a set of tools.
 */

import * as z from "zod";
import { jsonObject, nonEmptyString } from "../fields/primitives.ts";
import { serviceToolKinds, typeNamesOf } from "../fields/service_tool_names.ts";

/** One entry of `allowed_tools`; which of `name` and `server_label` it needs depends on its type. */
const allowedTool = z.looseObject({
  type: nonEmptyString,
  name: z.string().nullish(),
  namespace: z.string().nullish(),
  server_label: z.string().nullish(),
});

/** A choice of a tool that a provider hosts. */
export const hostedChoice = z.looseObject({
  type: z.literal([
    "web_search",
    "web_search_2025_08_26",
    "web_search_preview",
    "web_search_preview_2025_03_11",
    "file_search",
    "computer",
    "computer_use",
    "computer_use_preview",
    "code_interpreter",
    "image_generation",
    "apply_patch",
    "shell",
    "local_shell",
    "tool_search",
    "programmatic_tool_calling",
  ]),
});

/** A choice of a tool that the gateway runs. */
export const serverChoice = z.looseObject({
  type: z.literal(serviceToolKinds.flatMap((kind) => typeNamesOf(kind))),
  parameters: jsonObject.nullish(),
});

const named = { name: nonEmptyString, namespace: z.string().nullish() };

const toolChoiceObject = z.discriminatedUnion("type", [
  z.looseObject({ type: z.literal("function"), ...named }),
  z.looseObject({ type: z.literal("custom"), ...named }),
  z.looseObject({ type: z.literal("mcp"), server_label: z.string().nullish(), name: z.string().nullish() }),
  z.looseObject({
    type: z.literal("allowed_tools"),
    mode: z.enum(["auto", "required"]),
    tools: z.array(allowedTool),
  }),
  hostedChoice,
  serverChoice,
]);

export const toolChoice = z.union([z.enum(["auto", "none", "required"]), toolChoiceObject]);
export type ToolChoiceInput = z.infer<typeof toolChoice>;
export type ToolChoiceObject = z.infer<typeof toolChoiceObject>;
export type AllowedTool = z.infer<typeof allowedTool>;
