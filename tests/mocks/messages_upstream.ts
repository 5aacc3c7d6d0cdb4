/** A mock of `POST /messages` as Anthropic has it. */

import { messagesComplaint } from "./messages_rules.ts";
import { eventFrame, messageEvents, messageOf, type MessagesEcho } from "./messages_wire.ts";
import { isObject, type Json, objects, type SchemaViolation } from "./published.ts";
import { type Requested, scripted } from "./script.ts";
import { type Mock, type MockOptions, startMock } from "./serve.ts";

/** Starts it on a free port; its base URL ends in `/v1`. */
export function startMessagesMock(options: MockOptions = {}): Mock {
  let answers = 0;
  const echo = ({ model }: Json): MessagesEcho => ({ id: `msg_mock${++answers}`, model: String(model) });
  return startMock({
    path: "/messages",
    keyIn: (headers) => headers.get("x-api-key"),
    complaint: messagesComplaint,
    plan: (body) => scripted(requestedOf(body)),
    whole: (plan, body) => messageOf(plan, echo(body)),
    frames: (plan, body) => messageEvents(plan, echo(body)).map(eventFrame),
    errorFrame: eventFrame({
      type: "error",
      error: { type: "api_error", message: "The server had an error." },
    }),
    refusal,
    count: {
      path: "/messages/count_tokens",
      complaint: countComplaint,
      answer: (body) => ({ input_tokens: tokensOf(body) }),
    },
  }, options);
}

/** Counts the tokens of a request: a number that no tokenizer would come to. */
export const tokensOf = (body: Json): number => 1_000_000 + JSON.stringify(body).length;

/** Keys that the official client's types have for a count. */
const countKeys: readonly string[] = [
  "cache_control",
  "messages",
  "model",
  "output_config",
  "speed",
  "system",
  "thinking",
  "tool_choice",
  "tools",
];

function countComplaint(body: Json): SchemaViolation | undefined {
  const unknown = Object.keys(body).find((key) => !countKeys.includes(key));
  if (unknown === undefined) return messagesComplaint({ ...body, max_tokens: 1_000_000 });
  return {
    message: `${unknown}: Extra inputs are not permitted`,
    type: "invalid_request_error",
    param: unknown,
    code: null,
  };
}

const errors: Readonly<Record<number, readonly [type: string, message: string]>> = {
  400: ["invalid_request_error", "messages: Field required"],
  401: ["authentication_error", "invalid x-api-key"],
  402: ["billing_error", "Your credit balance is too low to access the API."],
  403: ["permission_error", "Your API key does not have permission to use the specified resource."],
  404: ["not_found_error", "model: mock-model"],
  413: ["request_too_large", "Request exceeds the maximum allowed number of bytes."],
  429: ["rate_limit_error", "This request would exceed your organization's rate limit."],
  503: ["overloaded_error", "Overloaded"],
  529: ["overloaded_error", "Overloaded"],
};

function refusal(status: number, reported?: SchemaViolation): Response {
  const [type, message] = errors[status] ?? ["api_error", "The server had an error."];
  const error = reported === undefined
    ? { type, message }
    : { type: reported.type, message: reported.message };
  const headers: Record<string, string> = { "request-id": "req_mock" };
  if (status === 429 || status === 503) headers["retry-after"] = "1";
  return Response.json({ type: "error", error, request_id: "req_mock" }, { status, headers });
}

function requestedOf(body: Json): Requested {
  const { content } = objects(body.messages).at(-1) ?? {};
  const last = objects(content);
  const results = last.filter(({ type }) => type === "tool_result");
  const { output_config: output, thinking } = body;
  const format = isObject(output) && isObject(output.format) ? output.format : {};
  return {
    said: textOf(content),
    toolResult: results.length === 0 ? undefined : results.map(({ content }) => textOf(content)).join(""),
    call: calledTool(body),
    schema: isObject(format.schema) ? format.schema : undefined,
    reasons: isObject(thinking) && (thinking.type === "enabled" || thinking.type === "adaptive"),
    thinksAloud: true,
    summarises: false,
    encrypts: false,
    cap: Number(body.max_tokens),
    size: JSON.stringify(body).length,
  };
}

function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  return objects(content).map(({ text }) => typeof text === "string" ? text : "").join("");
}

/** The tool that `tool_choice` demands, or any where it demands one. */
function calledTool({ tools, tool_choice: choice }: Json): Requested["call"] {
  const { type, name } = isObject(choice) ? choice : {};
  const all = objects(tools);
  const tool = type === "any" ? all[0] : type === "tool" ? all.find((one) => one.name === name) : undefined;
  if (tool === undefined) return undefined;
  const schema = isObject(tool.input_schema) ? tool.input_schema : undefined;
  return { kind: "function", name: String(tool.name), schema };
}
