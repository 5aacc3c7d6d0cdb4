/** Gives a task to another model, which works on it with server tools of its own (docs/server-tools.md). */

import * as z from "zod";
import { serviceKindOf } from "../../../../shared/fields/service_tool_names.ts";
import { omitUndefined } from "../../../../shared/util/json.ts";
import type { JsonObject } from "../../../protocols/canonical/item.ts";
import type { ModelRequest, ServerTool } from "../../../protocols/canonical/request.ts";
import {
  type SettingsIssue,
  textOf,
  type ToolDefinition,
  type ToolInput,
  type ToolOutcome,
} from "../tool_definition.ts";
import { askModel } from "./ask_model.ts";
import { nestedRequest } from "./nested_request.ts";
import {
  checkNestedSettings,
  flag,
  innerToolSchema,
  instanceNameOf,
  nestedSettings,
  toServerTool,
} from "./nested_settings.ts";
import { GRACE_MS, MOST_RUNS, refusalOf } from "./run_limits.ts";
import { endOf, runTime } from "./run_end.ts";
import { errorResult, failedRun, okResult, wholeRun } from "./run_outcome.ts";

/** Milliseconds. */
const RUN_MS = 600_000;
/** Calls of tools in a run, where the tool does not say it. */
const TOOL_CALLS = 10;

export const subagent: ToolDefinition = {
  kind: "subagent",
  instanceOf: instanceNameOf,
  innerTools,
  describe,
  itemFields: ({ task_name, task_description }, settings) =>
    omitUndefined({
      model: settingsSchema.parse(settings).model,
      instance_name: instanceNameOf(settings) || undefined,
      task_name: textOf(task_name),
      task_description: textOf(task_description),
    }),
  failedStatus: "failed",
  argumentsOf: ({ task_name, task_description }) =>
    textOf(task_description) === undefined ? undefined : omitUndefined({ task_name, task_description }),
  outputOf,
  timeMs: () => RUN_MS + GRACE_MS,
  checkSettings: ({ settings }) => checkSubagent(settings),
  check: ({ task_description }) =>
    textOf(task_description) === undefined ? "task_description is missing." : undefined,
  nestedRun: ({ settings, request, model, words }) => ({
    request: taskRequest({ settings, args: { task_description: words }, request }, modelFor(settings, model)),
    most: MOST_RUNS,
  }),
  run,
};

/** The tool's own, else the one that calls. */
const modelFor = (settings: JsonObject, caller: string): string =>
  settingsSchema.parse(settings).model ?? caller;

const settingsSchema = z.object({
  ...nestedSettings,
  tools: z.array(innerToolSchema).nullish().catch(undefined).transform((value) => value ?? []),
  max_tool_calls: z.int().min(1).max(25).nullish().catch(undefined),
  inherit_functions: flag,
  inherited_function_names: z.array(z.unknown()).nullish().catch(undefined),
});

function innerTools(settings: JsonObject): readonly ServerTool[] {
  return settingsSchema.parse(settings).tools.map(toServerTool);
}

function checkSubagent(settings: JsonObject): SettingsIssue | undefined {
  const { tools, inherit_functions, inherited_function_names: names } = settingsSchema.parse(settings);
  if (inherit_functions || (names?.length ?? 0) > 0) {
    const field = inherit_functions ? "inherit_functions" : "inherited_function_names";
    return { field, message: "is not supported: a subagent has server tools only" };
  }
  const wrong = tools.findIndex(({ type }) => !isServerTool(type));
  return wrong < 0 ? checkNestedSettings(settings) : {
    field: `tools[${wrong}].type`,
    message: `is ${JSON.stringify(tools[wrong]?.type.slice(0, 60))}; ${ONLY}`,
  };
}

const ONLY =
  "only tools of the gateway (service:…) other than subagents are allowed here, and no MCP servers";

const isServerTool = (type: string): boolean => {
  const kind = serviceKindOf(type);
  return kind !== undefined && kind !== "subagent";
};

function describe(settings: JsonObject): ReturnType<ToolDefinition["describe"]> {
  const name = instanceNameOf(settings);
  const kinds = innerTools(settings).map(({ kind }) => kind);
  const who = name === "" ? "a subagent, another model" : `the subagent "${name}", another model`;
  const has = kinds.length === 0 ? "It has no tools." : `It has the tools ${kinds.join(", ")}.`;
  return {
    description: `Gives a task to ${who} that works on its own and reports the outcome. ${has} ` +
      "It knows nothing of the conversation: say in the task all that it needs.",
    parameters: {
      type: "object",
      properties: {
        task_name: { type: "string", description: "A few words that name the task." },
        task_description: { type: "string", description: "The task, with all that is needed for it." },
      },
      required: ["task_name", "task_description"],
      additionalProperties: false,
    },
  };
}

function outputOf({ model, task_name, outcome, stop_reason, error }: JsonObject): string | undefined {
  if (textOf(error) !== undefined) return errorResult({ error });
  if (textOf(outcome) === undefined) return undefined;
  return okResult(omitUndefined({ model, task_name, outcome, stop_reason }), "outcome");
}

const SUBAGENT =
  "You carry out a task for another model, on your own: nobody answers questions of yours, and nobody sees your work but " +
  "its outcome. Use your tools where they help. Reply with the outcome alone, and say what could not be done.";

type Task = Pick<ToolInput, "settings" | "args" | "request">;

function taskRequest({ settings, args, request }: Task, model: string): ModelRequest {
  const read = settingsSchema.parse(settings);
  const { instructions = SUBAGENT, max_completion_tokens, temperature, reasoning, max_tool_calls } = read;
  const task = [textOf(args.task_name), textOf(args.task_description)].filter((one) => one !== undefined);
  return nestedRequest(request, {
    model,
    instructions,
    input: [{ type: "message", role: "user", parts: [{ type: "text", text: task.join("\n\n") }] }],
    tools: innerTools(settings),
    maxToolCalls: max_tool_calls ?? TOOL_CALLS,
    maxOutputTokens: max_completion_tokens,
    reasoning,
    sampling: temperature === undefined ? {} : { temperature },
  });
}

async function run(input: ToolInput): Promise<ToolOutcome> {
  const model = modelFor(input.settings, input.model);
  const refusal = refusalOf(input, { kind: "subagent", model });
  if (refusal !== undefined) return failedRun({ error: refusal.error, fields: { model } });
  const end = endOf(input, runTime(input, RUN_MS));
  try {
    const request = taskRequest(input, model);
    const answer = await askModel(input, { request, purpose: "subagent:task", end });
    const { reply, failure } = answer;
    if (failure !== undefined) return failedRun({ error: failure.message, fields: { model } });
    const fields = omitUndefined({ model: answer.model ?? model, task_name: textOf(input.args.task_name) });
    return wholeRun({ text: ["outcome", reply.text], fields, isCut: reply.isCut });
  } finally {
    end.release();
  }
}
