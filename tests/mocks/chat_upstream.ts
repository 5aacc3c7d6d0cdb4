/** A mock of `POST /chat/completions` as OpenAI and servers like it have it. */

import { chatComplaint } from "./chat_rules.ts";
import { type ChatEcho, chunksOf, completionOf, frameOf } from "./chat_wire.ts";
import { isObject, type Json, objects } from "./published.ts";
import { type Requested, scripted } from "./script.ts";
import { type Mock, type MockOptions, startMock } from "./serve.ts";

/** Starts it on a free port; its base URL ends in `/v1`. */
export function startChatMock(options: MockOptions = {}): Mock {
  let answers = 0;
  const echo = ({ model, stream_options: stream }: Json): ChatEcho => ({
    id: `chatcmpl-mock${++answers}`,
    model: String(model),
    stamp: 1_764_000_000,
    includeUsage: isObject(stream) && stream.include_usage === true,
  });
  return startMock({
    path: "/chat/completions",
    complaint: chatComplaint,
    plan: (body) => scripted(requestedOf(body)),
    whole: (plan, body) => completionOf(plan, echo(body)),
    frames: (plan, body) => [...chunksOf(plan, echo(body)).map(frameOf), "data: [DONE]\n\n"],
    errorFrame: frameOf({
      error: {
        message: "The server had an error processing your request.",
        type: "server_error",
        param: null,
        code: null,
      },
    }),
  }, options);
}

/** Reads the parts of a request of this wire that the script looks at. */
export function requestedOf(body: Json): Requested {
  const messages = objects(body.messages);
  const last = messages.at(-1);
  const effort = body.reasoning_effort;
  const cap = body.max_completion_tokens ?? body.max_tokens;
  return {
    said: textOf(messages.findLast(({ role }) => role === "user")?.content),
    toolResult: last?.role === "tool" ? textOf(last.content) : undefined,
    call: calledTool(body),
    schema: schemaOf(body.response_format),
    reasons: typeof effort === "string" && effort !== "none",
    thinksAloud: true,
    summarises: false,
    encrypts: false,
    cap: typeof cap === "number" ? cap : undefined,
    size: JSON.stringify(body).length,
  };
}

function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  return objects(content).map(({ text }) => typeof text === "string" ? text : "").join("");
}

function schemaOf(format: unknown): Json | undefined {
  const named = isObject(format) && isObject(format.json_schema) ? format.json_schema : {};
  return isObject(named.schema) ? named.schema : undefined;
}

/** The tool that `tool_choice` demands, or any where it demands one. */
function calledTool({ tools, tool_choice: choice }: Json): Requested["call"] {
  const all = objects(tools).flatMap((tool) => isObject(tool.function) ? [tool.function] : []);
  const demanded = isObject(choice) && isObject(choice.function) ? choice.function.name : undefined;
  const tool = choice === "required" ? all[0] : all.find(({ name }) => name === demanded);
  if (tool === undefined) return undefined;
  const schema = isObject(tool.parameters) ? tool.parameters : undefined;
  return { kind: "function", name: String(tool.name), schema };
}
