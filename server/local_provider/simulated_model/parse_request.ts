/**
 * Parses what the simulated model reads of a request on the Responses wire. As lenient as a provider: keys and kinds
 * that it does not know are kept or ignored, only what it uses has to have the right shape.
 */

import * as z from "zod";

const audio = z.looseObject({ data: z.string(), format: z.string().optional() });

const part = z.looseObject({
  type: z.string().optional(),
  text: z.string().nullish(),
  refusal: z.string().nullish(),
  image_url: z.string().nullish(),
  detail: z.string().nullish(),
  file_data: z.string().nullish(),
  file_url: z.string().nullish(),
  file_id: z.string().nullish(),
  filename: z.string().nullish(),
  input_audio: audio.nullish(),
  video_url: z.string().nullish(),
});

const content = z.union([z.string(), z.array(part)]).nullish();

/** Calls of OpenAI's tool search have an object where all others have JSON text. */
const searchArguments = z.looseObject({}).transform((value) => JSON.stringify(value));

const item = z.looseObject({
  type: z.string().nullish(),
  role: z.string().nullish(),
  content,
  call_id: z.string().nullish(),
  name: z.string().nullish(),
  namespace: z.string().nullish(),
  arguments: z.union([z.string(), searchArguments]).nullish(),
  input: z.string().nullish(),
  output: z.unknown().optional(),
});

const leafTool = z.looseObject({
  type: z.string(),
  name: z.string().nullish(),
  parameters: z.unknown().optional(),
  format: z.looseObject({
    type: z.string(),
    syntax: z.string().optional(),
    definition: z.string().optional(),
  })
    .nullish(),
});

const tool = leafTool.extend({ tools: z.array(leafTool).nullish() });

const named = z.looseObject({
  type: z.string(),
  name: z.string().nullish(),
  namespace: z.string().nullish(),
});

const toolChoice = z.union([
  z.enum(["auto", "none", "required"]),
  named.extend({ mode: z.string().nullish(), tools: z.array(named).nullish() }),
]);

const format = z.looseObject({ type: z.string(), schema: z.unknown().optional() });

const reasoning = z.looseObject({
  effort: z.string().nullish(),
  summary: z.string().nullish(),
  enabled: z.boolean().nullish(),
  max_tokens: z.int().nullish(),
});

export const simulatorRequestSchema = z.looseObject({
  model: z.string(),
  input: z.union([z.string(), z.array(item)]).nullish(),
  instructions: z.string().nullish(),
  stream: z.boolean().nullish(),
  max_output_tokens: z.int().min(1).nullish(),
  tools: z.array(tool).nullish(),
  tool_choice: toolChoice.nullish(),
  parallel_tool_calls: z.boolean().nullish(),
  text: z.looseObject({ format: format.nullish() }).nullish(),
  reasoning: reasoning.nullish(),
  include: z.array(z.string()).nullish(),
  top_logprobs: z.int().min(0).max(20).nullish(),
  modalities: z.array(z.string()).nullish(),
  image_config: z.looseObject({}).nullish(),
});

export type SimulatorRequest = z.infer<typeof simulatorRequestSchema>;
export type SimulatorItem = z.infer<typeof item>;
export type SimulatorPart = z.infer<typeof part>;
export type SimulatorTool = z.infer<typeof tool>;
export type LeafTool = z.infer<typeof leafTool>;
export type SimulatorToolChoice = z.infer<typeof toolChoice>;

const output = z.union([z.string(), z.array(part)]);

/** The input as items, whichever way it was sent. */
export function inputItems(requested: SimulatorRequest): readonly SimulatorItem[] {
  if (typeof requested.input === "string") {
    return [{ type: "message", role: "user", content: requested.input }];
  }
  return requested.input ?? [];
}

/** A message's content, or a tool's output, as parts. */
export function contentParts(value: unknown): readonly SimulatorPart[] {
  const parsed = output.safeParse(value);
  if (!parsed.success) return value === undefined || value === null ? [] : [{ text: JSON.stringify(value) }];
  return typeof parsed.data === "string" ? [{ type: "input_text", text: parsed.data }] : parsed.data;
}

/** The texts of some parts, a line each. */
export function joinTexts(parts: readonly SimulatorPart[]): string {
  return parts.map((one) => one.text ?? one.refusal ?? "").filter((text) => text !== "").join("\n");
}

/** Messages may leave their type out. */
export function isMessage(one: SimulatorItem, role?: string): boolean {
  const message = one.type === "message" ||
    (one.type ?? undefined) === undefined && typeof one.role === "string";
  return message && (role === undefined || one.role === role);
}

/** True for the result of a client's tool. */
export function isResult(one: SimulatorItem): boolean {
  return one.type === "function_call_output" || one.type === "custom_tool_call_output";
}
