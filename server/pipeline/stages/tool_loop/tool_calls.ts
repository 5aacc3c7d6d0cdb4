/** Runs the server tools that a turn has called, at the same time unless the request wants one after the other. */

import type { ModelEvent, OutputEvent } from "../../../protocols/canonical/event.ts";
import { ApiError } from "../../../../shared/errors.ts";
import type { JsonObject, ToolCallItem, ToolResultItem } from "../../../protocols/canonical/item.ts";
import type { ModelRequest } from "../../../protocols/canonical/request.ts";
import type { WorkspaceDefaults } from "../../caller_rules.ts";
import type { OneShotSignal } from "../../../one_shot_signal.ts";
import { callEndOf } from "../../call_end.ts";
import type { CallRecord, Handler, RequestContext } from "../../request_context.ts";
import {
  failedCall,
  type ToolDefinition,
  type ToolOutcome,
  type ToolSession,
} from "../../tools/tool_definition.ts";
import { parseArguments, runTool } from "../../tools/run_tool.ts";
import type { ToolMemory } from "../../tools/tool_memory.ts";
import { unknownCallResult } from "../../tools/unknown_calls.ts";
import type { ServerCall } from "../../tools/turn_reader.ts";
import type { ServerToolsDeps } from "./server_tools_deps.ts";
import type { LoopLimits } from "./loop_limits.ts";
import { endEvents, requestEvents } from "./call_events.ts";
import { buyService } from "../billing/buy_service.ts";

interface ToolCallsOptions {
  readonly deps: ServerToolsDeps;
  readonly next: Handler;
  readonly context: RequestContext;
  readonly limits: LoopLimits;
  readonly memory: ToolMemory;
  /** The caller has a spending limit. */
  readonly limited: boolean;
  /** Fires when the request is over. */
  readonly ended: OneShotSignal;
}

export interface TurnCalls {
  readonly step: number;
  readonly calls: readonly ServerCall[];
  /** Calls of tools that were not offered. */
  readonly unknownCalls: readonly ToolCallItem[];
  readonly request: ModelRequest;
}

/** The results of the calls of one turn. */
export interface CallResults {
  /** For the model, in the order of the calls. */
  readonly results: readonly ToolResultItem[];
  /** Deferred tools that are offered from now on. */
  readonly found: readonly string[];
}

export class ToolCalls {
  readonly #options: ToolCallsOptions;

  constructor(options: ToolCallsOptions) {
    this.#options = options;
  }

  /** The events of the calls, each as it ends; in the end what the model is told. */
  async *run(turn: TurnCalls): AsyncGenerator<readonly OutputEvent[], CallResults> {
    const { toolUse } = this.#options.context.record;
    toolUse.requested += turn.calls.length + turn.unknownCalls.length;
    const outcomes = new Map<ServerCall, ToolOutcome>();
    const start = (one: ServerCall) => this.#runOne(one, turn).then((outcome) => ({ one, outcome }));
    const requested = turn.calls.flatMap(requestEvents);
    if (requested.length > 0) yield requested;
    const waiting = [...turn.calls];
    const running = new Map<ServerCall, ReturnType<typeof start>>();
    const atOnce = turn.request.parallelToolCalls === false ? 1 : MOST_AT_ONCE;
    while (waiting.length > 0 || running.size > 0) {
      for (const one of waiting.splice(0, atOnce - running.size)) running.set(one, start(one));
      const { one, outcome } = await Promise.race(running.values());
      running.delete(one);
      if (outcome !== undefined) outcomes.set(one, outcome);
      yield endEvents(one, outcome);
    }
    const done = turn.calls.flatMap((one) => resultOf(one, outcomes.get(one)));
    const unknown = turn.unknownCalls.map((call) => this.#refuse(call, turn));
    return {
      results: [...done, ...unknown],
      found: [...outcomes.values()].flatMap(({ found }) => found ?? []),
    };
  }

  /** A call that cannot be run counts as one that ran: a model that makes up calls comes to its limit. */
  #refuse(call: ToolCallItem, { request: { tools } }: TurnCalls): ToolResultItem {
    this.#options.limits.takeCall();
    return unknownCallResult(call, tools);
  }

  /** Undefined for a call that the client answers. */
  async #runOne(one: ServerCall, turn: TurnCalls): Promise<ToolOutcome | undefined> {
    const { definition, settings } = one.tool;
    const { deps, context, memory, limited } = this.#options;
    const text = one.call?.arguments ?? "";
    const isForClient = !isRunHere(definition, settings) &&
      typeof parseArguments(definition, text) !== "string";
    if (isForClient) return undefined;
    const { defaults, reason } = await this.#admit(definition);
    if (reason !== undefined) return failedCall(reason, definition.itemFields({}));
    context.record.toolUse.executed++;
    const startedAt = deps.clock.monotonic();
    const call = context.record.openCall({ step: turn.step, purpose: `tool:${definition.kind}`, startedAt });
    const end = this.#endOf(call, timeOf(definition, text));
    const running = runTool(definition, {
      text,
      settings,
      session: toolSession(context),
      include: turn.request.include,
      countCommands: (use) => call.commandUse = use,
      tools: turn.request.tools,
      deps: deps.toolDeps,
      defaults,
      memory,
      limited,
      ended: end.reason,
      signal: end.abort,
      purchase: (purchase) => {
        const buying = buyService(context, { call, purchase });
        context.record.holdReceipt(buying);
        return buying;
      },
      callModel: (request) => this.#callModel(request, { call, signal: end.signal }),
    });
    const { outcome: whole, fault } = await running.finally(end.release);
    if (fault !== undefined) {
      deps.log.error("Server tool failed", { tool: definition.kind, error: String(fault) });
    }
    call.finish({ status: whole.failed === true ? "failed" : "completed", at: deps.clock.monotonic() });
    return await readOutcome(context, { outcome: whole, kind: definition.kind });
  }

  /** Whether one more call may run by the rules of now; counts it. */
  async #admit({ kind }: ToolDefinition): Promise<AdmittedCall> {
    const { deps, limits, context: { caller } } = this.#options;
    try {
      const { defaults } = await deps.rulesOf?.(caller) ?? { defaults: undefined };
      const isDisabled = defaults?.disabledTools?.has(kind) === true;
      if (isDisabled) return { defaults, reason: `The workspace has disabled the server tool ${kind}.` };
      return limits.takeCall() ? { defaults } : { defaults, reason: "limit reached" };
    } catch (error) {
      if (error instanceof ApiError) return { defaults: undefined, reason: error.message };
      throw error;
    }
  }

  /** When a call has to end: its time is over, or the request is. */
  #endOf(call: CallRecord, ownMs: number) {
    const { deps: { clock, limits, stop }, ended } = this.#options;
    return callEndOf(call, { clock, ms: Math.max(limits.toolMs, ownMs), word: "tool", ended, stop });
  }

  /** A model call of a tool's own: it is paid, guarded and noted as every other. */
  async #callModel(request: ModelRequest, { call, signal }: NestedCall): Promise<readonly ModelEvent[]> {
    const { next, context } = this.#options;
    const { onUpstreamBody: _unseen, preferredEndpoint: _other, candidatePlugins: _ofClient, ...rest } =
      context;
    const work = readAll(next({ ...rest, request, call, clientDisconnect: signal, isNested: true }));
    context.record.holdReceipt(work);
    return await work;
  }
}

/** Reads the part of a result that the guardrails let through. Throws an ApiError where they block it. */
async function readOutcome(
  { guards }: RequestContext,
  { outcome, kind }: { readonly outcome: ToolOutcome; readonly kind: string },
): Promise<ToolOutcome> {
  const guard = guards?.latest;
  if (guard === undefined) return outcome;
  const { output, fields } = outcome;
  return { ...outcome, ...await guard.readToolOutput({ output, fields }, kind) };
}

/** Whose containers a request has. */
export const toolSession = ({ caller, request, ids }: RequestContext): ToolSession => ({
  workspaceId: caller.workspaceId,
  sessionId: request.sessionId,
  generation: ids.generation,
});

const isRunHere = ({ run, runsHere }: ToolDefinition, settings: JsonObject): boolean =>
  run !== undefined && runsHere?.(settings) !== false;

/** Milliseconds that a tool asks for itself. */
function timeOf(definition: ToolDefinition, text: string): number {
  const args = parseArguments(definition, text);
  return typeof args === "string" ? 0 : definition.timeMs?.(args) ?? 0;
}

interface AdmittedCall {
  readonly defaults: WorkspaceDefaults | undefined;
  /** Why it may not run, for the model. */
  readonly reason?: string;
}

interface NestedCall {
  readonly call: CallRecord;
  readonly signal: OneShotSignal;
}

/** Calls of one turn that run at the same time. */
const MOST_AT_ONCE = 16;

async function readAll(calling: ReturnType<Handler>): Promise<readonly ModelEvent[]> {
  const { source } = await calling;
  const events: ModelEvent[] = [];
  for (let batch = await source.pull(); batch !== undefined; batch = await source.pull()) {
    for (const event of batch) if (event.type !== "audio") events.push(event);
  }
  return events;
}

function resultOf({ call }: ServerCall, outcome: ToolOutcome | undefined): readonly ToolResultItem[] {
  if (call === undefined || outcome === undefined) return [];
  return [{ type: "result", kind: "function", callId: call.callId, output: outcome.output }];
}
