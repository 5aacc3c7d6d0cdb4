/** Prompts with their tasks (README.md), as requests of the chat API. */

import * as z from "zod";
import { isTaskType } from "../../shared/task_types.ts";
import type { ModelRequest } from "../../server/protocols/canonical/request.ts";
import { parseRequest } from "../../server/protocols/chat/inbound/parse_request.ts";

const promptSchema = z.strictObject({
  language: z.enum(["en", "de", "fr", "es", "zh"]),
  task: z.string().refine(isTaskType),
  messages: z.array(z.strictObject({ role: z.enum(["user", "assistant"]), content: z.string() })).min(1),
  system: z.string().optional(),
  tools: z.array(z.string()).optional(),
  server_tools: z.array(z.string()).optional(),
  images: z.number().int().positive().optional(),
  schema: z.literal(true).optional(),
});
export type Prompt = z.infer<typeof promptSchema>;

export function readPrompts(name: "training" | "held_out" | "held_out_long"): readonly Prompt[] {
  const text = Deno.readTextFileSync(new URL(`./${name}.jsonl`, import.meta.url));
  return text.split("\n").filter((line) => line !== "").map((line) => promptSchema.parse(JSON.parse(line)));
}

const picture = { type: "image_url", image_url: { url: "https://example.com/picture.png" } };

const functionTool = (name: string) => ({
  type: "function",
  function: { name, parameters: { type: "object", properties: {} } },
});

/** The request that a client of the chat API sends for a prompt. */
export function requestOf(prompt: Prompt): ModelRequest {
  const { messages, system, tools = [], server_tools = [], images = 0, schema } = prompt;
  const last = messages.length - 1;
  const pictures = Array.from({ length: images }, () => picture);
  const sent = messages.map(({ role, content }, at) => ({
    role,
    content: at === last && images > 0 ? [{ type: "text", text: content }, ...pictures] : content,
  }));
  const json_schema = { name: "result", schema: { type: "object", properties: {} } };
  const { request } = parseRequest({
    model: "any",
    messages: system === undefined ? sent : [{ role: "system", content: system }, ...sent],
    tools: [...tools.map(functionTool), ...server_tools.map((kind) => ({ type: `service:${kind}` }))],
    response_format: schema ? { type: "json_schema", json_schema } : undefined,
  });
  return request;
}
