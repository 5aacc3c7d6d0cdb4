/** A mock of OpenAI's `POST /responses`. */

import { isObject, type Json, objects } from "./published.ts";
import { responsesComplaint } from "./responses_rules.ts";
import { type Echo, eventsOf, frameOf, resultOf } from "./responses_wire.ts";
import { type Requested, scripted } from "./script.ts";
import { type Mock, type MockOptions, startMock } from "./serve.ts";

/** Starts it on a free port; its base URL ends in `/v1`. */
export function startResponsesMock(options: MockOptions = {}): Mock {
  let answers = 0;
  const echo = ({ model, tools }: Json): Echo => ({
    id: `resp_mock${++answers}x`,
    model: String(model),
    tools,
    stamp: 1_764_000_000,
  });
  return startMock({
    path: "/responses",
    complaint: responsesComplaint,
    plan: (body) => scripted(requestedOf(body)),
    whole: (plan, body) => resultOf(plan, echo(body)),
    frames: (plan, body) => eventsOf(plan, echo(body)).map(frameOf),
    errorFrame: frameOf({
      type: "error",
      error: {
        type: "server_error",
        code: "server_error",
        message: "The server had an error processing your request.",
        param: null,
      },
    }),
  }, options);
}

function requestedOf(body: Json): Requested {
  const input = objects(body.input);
  const last = input.at(-1);
  const { reasoning, text, include, max_output_tokens: cap } = body;
  const effort = isObject(reasoning) ? reasoning.effort : undefined;
  return {
    said: typeof body.input === "string" ? body.input : receivedLast(input),
    toolResult: String(last?.type).endsWith("_call_output") ? textOf(last?.output) : undefined,
    call: calledTool(body),
    schema: isObject(text) && isObject(text.format) && isObject(text.format.schema)
      ? text.format.schema
      : undefined,
    reasons: typeof effort === "string" && effort !== "none",
    summarises: isObject(reasoning) && typeof reasoning.summary === "string",
    thinksAloud: false,
    encrypts: Array.isArray(include) && include.includes("reasoning.encrypted_content"),
    cap: typeof cap === "number" ? cap : undefined,
    size: JSON.stringify(body).length,
  };
}

function receivedLast(input: readonly Json[]): string {
  return textOf(input.findLast(({ role }) => role === "user")?.content);
}

function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  return objects(content).map(({ text }) => typeof text === "string" ? text : "").join("");
}

/** The tool that `tool_choice` demands, or any where it demands one. */
function calledTool({ tools, tool_choice: choice }: Json): Requested["call"] {
  const all = objects(tools).flatMap((tool) => flat(tool));
  if (choice === "required") return all[0];
  return isObject(choice) ? all.find(({ name }) => name === choice.name) : undefined;
}

function flat(tool: Json, namespace?: string): readonly NonNullable<Requested["call"]>[] {
  const name = String(tool.name);
  if (tool.type === "namespace") return objects(tool.tools).flatMap((one) => flat(one, name));
  if (tool.type !== "function" && tool.type !== "custom") return [];
  const schema = isObject(tool.parameters) ? tool.parameters : undefined;
  return [{ kind: tool.type, name, namespace, schema }];
}
