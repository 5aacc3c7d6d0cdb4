/** Asks another model for advice: one completion without tools (docs/server-tools.md). */

import { omitUndefined } from "../../../../shared/util/json.ts";
import type { JsonObject } from "../../../protocols/canonical/item.ts";
import {
  type AwaitedRun,
  failedCall,
  type NestedRun,
  textOf,
  type ToolDefinition,
  type ToolInput,
  type ToolOutcome,
} from "../tool_definition.ts";
import { exchangesWith, replayedExchanges } from "./advisor_memory.ts";
import { advisorRequest } from "./advisor_requests.ts";
import { advisorName, advisorSettings, checkAdvisor } from "./advisor_settings.ts";
import { askModel } from "./ask_model.ts";
import { GRACE_MS, MOST_RUNS, refusalOf } from "./run_limits.ts";
import { endOf, runTime } from "./run_end.ts";
import { codeOf, errorResult, failedRun, okResult, wholeRun } from "./run_outcome.ts";
import { StreamedText } from "./streamed_text.ts";

/** Milliseconds. */
const RUN_MS = 120_000;

export const advisor: ToolDefinition = {
  kind: "advisor",
  instanceOf: advisorName,
  innerTools: () => [],
  describe,
  itemFields: ({ prompt, model }, settings) =>
    omitUndefined({
      model: advisorSettings(settings).model ?? textOf(model),
      instance_name: advisorName(settings) || undefined,
      prompt: textOf(prompt),
    }),
  failedStatus: "failed",
  isUnpricedAtProvider: true,
  argumentsOf: ({ prompt }) => textOf(prompt) === undefined ? undefined : { prompt },
  outputOf,
  timeMs: () => RUN_MS + GRACE_MS,
  checkSettings: ({ settings }) => checkAdvisor(settings),
  nestedRun,
  run,
};

function nestedRun({ settings, request, model: caller, words, name }: AwaitedRun): NestedRun {
  const read = advisorSettings(settings);
  const instance = advisorName(settings);
  const exchanges = read.forwardsTranscript ? [] : replayedExchanges(request.input, { instance, name });
  const question = { settings: read, model: read.model ?? caller, prompt: words, exchanges };
  return {
    request: advisorRequest({ request, transcript: request.input }, question),
    most: Math.min(read.maxUses ?? MOST_RUNS, MOST_RUNS),
  };
}

function describe(settings: JsonObject): ReturnType<ToolDefinition["describe"]> {
  const { model, forwardsTranscript } = advisorSettings(settings);
  const name = advisorName(settings);
  const who = name === "" ? "an advisor, another model," : `the advisor "${name}", another model,`;
  const knows = forwardsTranscript
    ? "It knows the conversation until now."
    : "It knows nothing of the conversation but what you have asked it before: say in the prompt all that it needs.";
  return {
    description:
      `Asks ${who} for advice on a hard decision, a plan or a doubt. ${knows} It answers with text.`,
    parameters: {
      type: "object",
      properties: {
        prompt: { type: "string", description: "The question." },
        ...(model === undefined
          ? {
            model: { type: "string", description: "Id of the model to ask; leave it out for the usual one." },
          }
          : {}),
      },
      required: forwardsTranscript ? [] : ["prompt"],
      additionalProperties: false,
    },
  };
}

function outputOf({ model, advice, stop_reason, error, error_code }: JsonObject): string | undefined {
  if (textOf(error) !== undefined) return errorResult({ error, error_code });
  if (textOf(advice) === undefined) return undefined;
  return okResult(omitUndefined({ model, advice, stop_reason }), "advice");
}

async function run(input: ToolInput): Promise<ToolOutcome> {
  const settings = advisorSettings(input.settings);
  const prompt = textOf(input.args.prompt) ?? "";
  const model = settings.model ?? textOf(input.args.model) ?? input.model;
  if (prompt === "" && !settings.forwardsTranscript) return failedCall("prompt is missing.");
  const refusal = refusalOf(input, { kind: "advisor", model, most: settings.maxUses });
  if (refusal !== undefined) return failedRun({ ...refusal, fields: { model } });
  const { name } = input;
  const exchanges = settings.forwardsTranscript
    ? []
    : exchangesWith(input, { instance: advisorName(input.settings), name });
  const end = endOf(input, runTime(input, RUN_MS));
  const streamed = new StreamedText(settings.streams ? input.emit : undefined);
  try {
    const request = advisorRequest(input, { settings, model, prompt, exchanges });
    const answer = await askModel(input, {
      request,
      purpose: "advisor:answer",
      end,
      onDelta: (kind, delta) => kind === "text" && streamed.add(delta),
    });
    const { reply, failure } = answer;
    const advice = reply.text;
    streamed.end(advice);
    if (failure !== undefined) {
      return failedRun({ error: failure.message, code: codeOf(failure.kind), fields: { model } });
    }
    input.memory.addExchange(name, { prompt, advice });
    return wholeRun({
      text: ["advice", advice],
      fields: { model: answer.model ?? model },
      isCut: reply.isCut,
    });
  } finally {
    end.release();
  }
}
