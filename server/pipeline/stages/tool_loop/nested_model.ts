/** Models that a tool calls: each of their calls is paid, guarded and noted as every other. */

import type { ModelEvent, OutputEvent } from "../../../protocols/canonical/event.ts";
import type { ModelRequest } from "../../../protocols/canonical/request.ts";
import type { CancelSignal } from "../../../one_shot_signal.ts";
import type { CallRecord, Handler, ModelResponse, RequestContext } from "../../request_context.ts";
import type { ModelRun } from "../../tools/tool_definition.ts";
import { planTools, whenToolsKnown } from "../../tools/tool_plan.ts";
import type { StartLoop, ToolLoopOptions } from "./loop_options.ts";

interface NestedCall {
  readonly request: ModelRequest;
  readonly call: CallRecord;
  readonly signal: CancelSignal;
}

/** The context of a call that a tool makes for itself: without what belongs to the client's response. */
export function nestedContext(
  context: RequestContext,
  { request, call, signal }: NestedCall,
): RequestContext {
  const { onUpstreamBody: _unseen, preferredEndpoint: _other, candidatePlugins: _ofClient, ...rest } =
    context;
  return { ...rest, request, call, clientDisconnect: signal, isNested: true };
}

/** The events of one call. */
export async function readAll(calling: ReturnType<Handler>): Promise<readonly ModelEvent[]> {
  const events: ModelEvent[] = [];
  await readEach(await calling, (batch) => {
    for (const event of batch) if (event.type !== "audio") events.push(event);
  });
  return events;
}

async function readEach(
  { source }: ModelResponse,
  onEvents: (batch: readonly OutputEvent[]) => void,
): Promise<void> {
  for (let batch = await source.pull(); batch !== undefined; batch = await source.pull()) onEvents(batch);
}

interface NestedOptions extends Omit<ToolLoopOptions, "plan" | "nested"> {
  readonly step: number;
  readonly startLoop: StartLoop;
}

/**
 * Runs a model with server tools of its own until it has answered, and tells the model's id. Throws an ApiError as its
 * first call does.
 */
export async function runModel(options: NestedOptions, run: ModelRun): Promise<string> {
  const { deps, next, context, limited, step, startLoop } = options;
  const { request, purpose, memory, signal, onEvents } = run;
  const { clock, toolDeps } = deps;
  const call = context.record.openCall({ step, purpose, startedAt: clock.monotonic() });
  const runDepth = (context.runDepth ?? 0) + 1;
  const nested = { ...nestedContext(context, { request, call, signal }), runDepth };
  let last: OutputEvent | undefined;
  try {
    await whenToolsKnown(request.tools, toolDeps);
    const plan = planTools(request, { deps: toolDeps, limited });
    const response = await (plan === undefined
      ? next(nested)
      : startLoop({ deps, next, context: nested, plan, limited, nested: { purpose, step, memory } }));
    await readEach(response, (batch) => {
      last = batch.at(-1) ?? last;
      onEvents(batch);
    });
    return response.endpoint.model.id;
  } finally {
    // A loop ends its turns itself.
    if (call.end === undefined) call.finish({ status: statusOf(last), at: clock.monotonic() });
  }
}

function statusOf(last: OutputEvent | undefined): "completed" | "incomplete" | "failed" {
  if (last?.type !== "finish") return "failed";
  return last.reason === "stop" ? "completed" : "incomplete";
}
