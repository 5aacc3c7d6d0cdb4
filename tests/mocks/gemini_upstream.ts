/** A mock of `POST /models/{model}:generateContent` and `:streamGenerateContent` as the Gemini API has them. */

import { geminiComplaint } from "./gemini_rules.ts";
import { chunksOf, contentOf, frameOf, type GeminiEcho } from "./gemini_wire.ts";
import { isObject, type Json, objects, type SchemaViolation } from "./published.ts";
import { type Requested, scripted } from "./script.ts";
import { type Mock, type MockOptions, type Routed, startMock } from "./serve.ts";

/** Starts it on a free port; its base URL ends in `/v1`. */
export function startGeminiMock(options: MockOptions = {}): Mock {
  let answers = 0;
  const echo = ({ generationConfig: config }: Json, model: string): GeminiEcho => ({
    id: `mock-${++answers}`,
    model,
    showsThoughts: isObject(config) && isObject(config.thinkingConfig) &&
      config.thinkingConfig.includeThoughts === true,
  });
  return startMock({
    path: "/models",
    route,
    keyIn: (headers) => headers.get("x-goog-api-key"),
    complaint: (body, { model }) => geminiComplaint(body, model),
    plan: (body) => scripted(requestedOf(body)),
    whole: (plan, body, { model }) => contentOf(plan, echo(body, model)),
    frames: (plan, body, { model }) => chunksOf(plan, echo(body, model)).map(frameOf),
    refusal: errorOf,
    errorFrame: frameOf({
      error: { code: 500, message: "An internal error has occurred.", status: "INTERNAL" },
    }),
  }, options);
}

const METHOD = /^(\/models)\/([^/:]+):(generateContent|streamGenerateContent)$/;

/** The path says which model, and whether to stream; a stream that is no event stream is not asked for. */
function route(url: URL): Routed | undefined {
  const [, path, model, method] = METHOD.exec(url.pathname.replace(/^\/v1/, "")) ?? [];
  if (path === undefined || model === undefined) return undefined;
  const stream = method === "streamGenerateContent";
  if (stream && url.searchParams.get("alt") !== "sse") return undefined;
  return { path, model: decodeURIComponent(model), stream };
}

const words: Readonly<Record<number, readonly [status: string, message: string]>> = {
  400: ["INVALID_ARGUMENT", "Request contains an invalid argument."],
  401: ["UNAUTHENTICATED", "Request had invalid authentication credentials."],
  403: ["PERMISSION_DENIED", "The caller does not have permission"],
  404: ["NOT_FOUND", "models/mock is not found for API version v1beta."],
  429: ["RESOURCE_EXHAUSTED", "You exceeded your current quota, please check your plan and billing details."],
  503: ["UNAVAILABLE", "The model is overloaded. Please try again later."],
  504: ["DEADLINE_EXCEEDED", "Deadline expired before operation could complete."],
};

/** A key that is wrong is an invalid argument here. */
function errorOf(status: number, complaint?: SchemaViolation): Response {
  const wrongKey = status === 401;
  const code = wrongKey ? 400 : status;
  const [word, message] = words[code] ?? ["INTERNAL", "An internal error has occurred."];
  const error = {
    code,
    message: wrongKey ? "API key not valid. Please pass a valid API key." : complaint?.message ?? message,
    status: word,
    ...(status === 429 ? { details: [{ retryDelay: "1s" }] } : {}),
  };
  return Response.json({ error }, { status: code });
}

function requestedOf(body: Json): Requested {
  const contents = objects(body.contents);
  const received = contents.filter((content) => content.role === "user" && textOf(content) !== "").at(-1);
  const last = objects(contents.at(-1)?.parts).at(-1);
  const config = isObject(body.generationConfig) ? body.generationConfig : {};
  const cap = config.maxOutputTokens;
  return {
    said: received === undefined ? "" : textOf(received),
    toolResult: isObject(last?.functionResponse) ? resultOf(last.functionResponse) : undefined,
    call: calledTool(body),
    schema: isObject(config.responseJsonSchema) ? config.responseJsonSchema : undefined,
    reasons: isObject(config.thinkingConfig),
    thinksAloud: false,
    summarises: true,
    encrypts: false,
    cap: typeof cap === "number" ? cap : undefined,
    size: JSON.stringify(body).length,
  };
}

const textOf = ({ parts }: Json): string =>
  objects(parts).map(({ text }) => typeof text === "string" ? text : "").join("");

function resultOf({ response }: Json): string {
  return isObject(response) && typeof response.output === "string"
    ? response.output
    : JSON.stringify(response);
}

/** The tool that has to be called. */
function calledTool({ tools, toolConfig }: Json): Requested["call"] {
  const config = isObject(toolConfig) ? toolConfig.functionCallingConfig : undefined;
  if (!isObject(config) || config.mode !== "ANY") return undefined;
  const all = objects(tools).flatMap(({ functionDeclarations }) => objects(functionDeclarations));
  const allowed = Array.isArray(config.allowedFunctionNames) ? config.allowedFunctionNames : undefined;
  const tool = all.find(({ name }) => allowed === undefined || allowed.includes(name));
  if (tool === undefined) return undefined;
  const schema = isObject(tool.parametersJsonSchema) ? tool.parametersJsonSchema : undefined;
  return { kind: "function", name: String(tool.name), schema };
}
