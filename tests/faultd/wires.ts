/** A short, sound answer in the words of both wires: the stuff that faults are made of. */

export type Wire = "responses" | "chat";

/** One frame of a stream; `data` is JSON text, or `[DONE]`. */
export interface Frame {
  readonly event?: string;
  readonly data: string;
  readonly kind: "head" | "delta" | "tail";
}

export interface Usage {
  readonly input: number | string;
  readonly output: number | string;
}

/** Words of the answer, a delta each. */
export const WORDS = ["The", " quick", " brown", " fox", " jumps", " over", " the", " lazy", " dog."];
export const TEXT = WORDS.join("");
export const SOUND_USAGE: Usage = { input: 12, output: WORDS.length };

/** Frames of the whole answer as a stream; `usage` null leaves the counts out. */
export function framesOf(wire: Wire, usage: Usage | null): readonly Frame[] {
  return wire === "chat" ? chatFrames(usage) : responsesFrames(usage);
}

/** The whole answer as one JSON text. */
export function wholeOf(wire: Wire, usage: Usage | null): string {
  return JSON.stringify(wire === "chat" ? chatWhole(usage) : responseOf("completed", usage));
}

/** How a provider says inside a stream that it is overloaded. */
export function errorFrame(wire: Wire): Frame {
  const error = { type: "overloaded_error", code: "overloaded", message: "Overloaded.", param: null };
  if (wire === "chat") return { data: JSON.stringify({ error }), kind: "tail" };
  return {
    event: "error",
    data: JSON.stringify({ sequence_number: 2, ...error, type: "error" }),
    kind: "tail",
  };
}

const ITEM = "msg_faultd";

function responseOf(status: "in_progress" | "completed", usage: Usage | null) {
  const whole = status === "completed";
  return {
    id: "resp_faultd",
    object: "response",
    created_at: 1_750_000_000,
    status,
    error: null,
    incomplete_details: null,
    model: "faultd",
    output: whole ? [itemOf("completed", [partOf(TEXT)])] : [],
    parallel_tool_calls: true,
    tool_choice: "auto",
    tools: [],
    ...(whole && usage !== null ? { usage: responsesUsage(usage) } : {}),
  };
}

function responsesUsage({ input, output }: Usage) {
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: typeof input === "number" && typeof output === "number" ? input + output : input,
  };
}

function itemOf(status: "in_progress" | "completed", content: readonly unknown[]) {
  return { id: ITEM, type: "message", status, role: "assistant", content };
}

function partOf(text: string) {
  return { type: "output_text", text, annotations: [], logprobs: [] };
}

function responsesFrames(usage: Usage | null): readonly Frame[] {
  const at = { item_id: ITEM, output_index: 0, content_index: 0 };
  const events = [
    ["head", "response.created", { response: responseOf("in_progress", null) }],
    ["head", "response.in_progress", { response: responseOf("in_progress", null) }],
    ["head", "response.output_item.added", { output_index: 0, item: itemOf("in_progress", []) }],
    ["head", "response.content_part.added", { ...at, part: partOf("") }],
    ...WORDS.map((delta) => ["delta", "response.output_text.delta", { ...at, delta, logprobs: [] }] as const),
    ["tail", "response.output_text.done", { ...at, text: TEXT, logprobs: [] }],
    ["tail", "response.content_part.done", { ...at, part: partOf(TEXT) }],
    ["tail", "response.output_item.done", { output_index: 0, item: itemOf("completed", [partOf(TEXT)]) }],
    ["tail", "response.completed", { response: responseOf("completed", usage) }],
  ] as const;
  return events.map(([kind, event, fields], sequence_number) => ({
    kind,
    event,
    data: JSON.stringify({ type: event, sequence_number, ...fields }),
  }));
}

function chatUsage({ input, output }: Usage) {
  const total = typeof input === "number" && typeof output === "number" ? input + output : input;
  return { prompt_tokens: input, completion_tokens: output, total_tokens: total };
}

function chatWhole(usage: Usage | null) {
  return {
    id: "chatcmpl-faultd",
    object: "chat.completion",
    created: 1_750_000_000,
    model: "faultd",
    choices: [{
      index: 0,
      message: { role: "assistant", content: TEXT, refusal: null },
      finish_reason: "stop",
    }],
    ...(usage === null ? {} : { usage: chatUsage(usage) }),
  };
}

function chatFrames(usage: Usage | null): readonly Frame[] {
  const chunk = (kind: Frame["kind"], fields: Readonly<Record<string, unknown>>): Frame => ({
    kind,
    data: JSON.stringify({
      id: "chatcmpl-faultd",
      object: "chat.completion.chunk",
      created: 1_750_000_000,
      model: "faultd",
      ...fields,
    }),
  });
  const choice = (delta: unknown, finish_reason: string | null = null) => ({
    choices: [{ index: 0, delta, finish_reason }],
  });
  return [
    chunk("head", choice({ role: "assistant", content: "" })),
    ...WORDS.map((content) => chunk("delta", choice({ content }))),
    chunk("tail", choice({}, "stop")),
    ...(usage === null ? [] : [chunk("tail", { choices: [], usage: chatUsage(usage) })]),
    { kind: "tail", data: "[DONE]" },
  ];
}

/** A frame as text, with LF. */
export function frameText({ event, data }: Frame): string {
  return `${event === undefined ? "" : `event: ${event}\n`}data: ${data}\n\n`;
}
