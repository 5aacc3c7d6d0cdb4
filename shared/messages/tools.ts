/**
 * Tools of POST /messages and how the model may choose among them (specification, Chat completions, embeddings,
 * messages, misc inference).
 */

import * as z from "zod";
import { jsonObject, nonEmptyString } from "../fields/primitives.ts";
import { serviceKindOf } from "../fields/service_tool_names.ts";

/** Tools that Anthropic defines carry a date (`web_search_20250305`), stand for a whole set, or search tools. */
const OWN_TYPE = /^[a-z_]+_\d{8}$|^mcp_toolset$|^tool_search_tool_(?:regex|bm25)(?:_\d{8})?$/;

/** Whether a type names a tool that the client defines itself. */
export const isClientTool = (type: string | null | undefined): boolean => !type || type === "custom";

function judge(tool: { readonly [key: string]: unknown; readonly type?: string | null }): Judged | undefined {
  const { type } = tool;
  if (isClientTool(type)) {
    if (typeof tool.name !== "string" || tool.name === "") return { key: "name", message: "is missing" };
    if (tool.input_schema === undefined) return { key: "input_schema", message: "is missing; a JSON schema" };
    return undefined;
  }
  if (!type || serviceKindOf(type) !== undefined || OWN_TYPE.test(type)) return undefined;
  return {
    key: "type",
    message: `is ${JSON.stringify(type.slice(0, 60))}; custom, a dated tool or a server tool is expected`,
  };
}

interface Judged {
  readonly key: string;
  readonly message: string;
}

export const messagesTool = z.looseObject({
  type: z.string().nullish(),
  name: z.string().nullish(),
  description: z.string().nullish(),
  input_schema: jsonObject.optional(),
  strict: z.boolean().nullish(),
  defer_loading: z.boolean().nullish(),
}).check((payload) => {
  const fault = judge(payload.value);
  if (fault === undefined) return;
  const { key, message } = fault;
  payload.issues.push({ code: "custom", message, input: payload.value, path: [key] });
});
export type MessagesTool = z.infer<typeof messagesTool>;

const alone = { disable_parallel_tool_use: z.boolean().nullish() };

export const messagesToolChoice = z.discriminatedUnion("type", [
  z.looseObject({ type: z.literal(["auto", "any"]), ...alone }),
  z.looseObject({ type: z.literal("none") }),
  z.looseObject({ type: z.literal("tool"), name: nonEmptyString, ...alone }),
]);
export type MessagesToolChoice = z.infer<typeof messagesToolChoice>;
