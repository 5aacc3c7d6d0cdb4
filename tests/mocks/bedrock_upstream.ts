/** A mock of Bedrock's `POST /model/{model}/converse` and `…/converse-stream`. */

import { awsMessage } from "../support/aws_messages.ts";
import { bedrockComplaint } from "./bedrock_rules.ts";
import { answerOf, messagesOf } from "./bedrock_wire.ts";
import { isObject, type Json, objects, type SchemaViolation } from "./published.ts";
import { type Requested, scripted } from "./script.ts";
import { type Mock, type MockOptions, type Routed, startMock } from "./serve.ts";

const frame = (name: string, payload: Json) => `${name}\n${JSON.stringify(payload)}`;

/** Starts it on a free port; its base URL ends in `/v1`, which AWS's own does not. */
export function startBedrockMock(options: MockOptions = {}): Mock {
  return startMock({
    path: "/model",
    route,
    complaint: bedrockComplaint,
    plan: (body) => scripted(requestedOf(body)),
    whole: answerOf,
    frames: (plan) => messagesOf(plan).map(([name, payload]) => frame(name, payload)),
    binary: { type: "application/vnd.amazon.eventstream", encode },
    errorFrame: frame("internalServerException", { message: "The system encountered an unexpected error." }),
    refusal,
  }, options);
}

function route({ pathname }: URL): Routed | undefined {
  const [, model = "", verb] = /\/model\/([^/]+)\/converse(-stream)?$/.exec(pathname) ?? [];
  if (model === "") return undefined;
  return { path: "/model", model: decodeURIComponent(model), stream: verb !== undefined };
}

/** Faults break a frame as text: what is left of it is sent as a message that breaks off, or has such a payload. */
function encode(text: string): Uint8Array {
  const [name = "", payload = ""] = text.split("\n");
  if (name.startsWith("data:")) return awsMessage("contentBlockDelta", name.slice(6));
  const whole = payload.endsWith("}");
  const message = awsMessage(name, payload);
  return whole ? message : message.slice(0, 20);
}

const names: Readonly<Record<number, readonly [string, string]>> = {
  400: ["ValidationException", "Malformed input request."],
  401: ["UnrecognizedClientException", "The security token included in the request is invalid."],
  403: ["AccessDeniedException", "You don't have access to the model with the specified model ID."],
  404: ["ResourceNotFoundException", "The provided model identifier is invalid."],
  429: ["ThrottlingException", "Too many requests, please wait before trying again."],
  503: ["ServiceUnavailableException", "Bedrock is unable to process your request."],
};

function refusal(status: number, complaint?: SchemaViolation): Response {
  const [name, message] = names[status] ??
    ["InternalServerException", "The system encountered an unexpected error."];
  const headers = {
    "x-amzn-errortype": name,
    ...(status === 429 || status === 503 ? { "retry-after": "1" } : {}),
  };
  return Response.json({ message: complaint?.message ?? message }, { status, headers });
}

const textOf = (content: unknown) =>
  objects(content).map(({ text }) => typeof text === "string" ? text : "").join("");

function requestedOf(body: Json): Requested {
  const messages = objects(body.messages);
  const last = objects(messages.at(-1)?.content);
  const results = last.flatMap(({ toolResult }) => isObject(toolResult) ? [textOf(toolResult.content)] : []);
  const fields = isObject(body.additionalModelRequestFields) ? body.additionalModelRequestFields : {};
  const inference = isObject(body.inferenceConfig) ? body.inferenceConfig : {};
  const cap = inference.maxTokens;
  return {
    said: textOf(messages.findLast(({ role }) => role === "user")?.content),
    toolResult: results.length === 0 ? undefined : results.join(""),
    call: calledTool(body),
    schema: schemaOf(body.outputConfig),
    reasons: isObject(fields.thinking) && fields.thinking.type !== "disabled",
    thinksAloud: true,
    summarises: false,
    encrypts: false,
    cap: typeof cap === "number" ? cap : undefined,
    size: JSON.stringify(body).length,
  };
}

/** The schema is text inside the request. */
function schemaOf(config: unknown): Json | undefined {
  const format = isObject(config) && isObject(config.textFormat) ? config.textFormat : {};
  const structure = isObject(format.structure) ? format.structure : {};
  const { schema } = isObject(structure.jsonSchema) ? structure.jsonSchema : { schema: undefined };
  const value: unknown = typeof schema === "string" ? JSON.parse(schema) : undefined;
  return isObject(value) ? value : undefined;
}

/** The tool that `toolChoice` demands, or any where it demands one. */
function calledTool({ toolConfig }: Json): Requested["call"] {
  const config = isObject(toolConfig) ? toolConfig : {};
  const specs = objects(config.tools).flatMap(({ toolSpec }) => isObject(toolSpec) ? [toolSpec] : []);
  const choice = isObject(config.toolChoice) ? config.toolChoice : {};
  const demanded = isObject(choice.tool) ? choice.tool.name : undefined;
  const spec = "any" in choice ? specs[0] : specs.find(({ name }) => name === demanded);
  if (spec === undefined) return undefined;
  const schema = isObject(spec.inputSchema) && isObject(spec.inputSchema.json)
    ? spec.inputSchema.json
    : undefined;
  return { kind: "function", name: String(spec.name), schema };
}
