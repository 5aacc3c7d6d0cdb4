/** Runs the server tools that a turn has called, at the same time unless the request wants one after the other. */

import type { OutputEvent } from "../../../protocols/canonical/event.ts";
import { ApiError } from "../../../../shared/errors.ts";
import type { Item, JsonObject, ToolCallItem, ToolResultItem } from "../../../protocols/canonical/item.ts";
import type { ModelRequest } from "../../../protocols/canonical/request.ts";
import type { CallerRules } from "../../caller_rules.ts";
import type { OneShotSignal } from "../../../one_shot_signal.ts";
import { callEndOf } from "../../call_end.ts";
import type { CallRecord, Handler, RequestContext } from "../../request_context.ts";
import {
  failedCall,
  isRunHere,
  type ToolDefinition,
  type ToolOutcome,
  type ToolSession,
} from "../../tools/tool_definition.ts";
import { modelFinder } from "../../routing/find_models.ts";
import { parseArguments, runTool, type ToolRunOptions } from "../../tools/run_tool.ts";
import type { ToolMemory } from "../../tools/tool_memory.ts";
import { ResultImages } from "../../tools/result_images.ts";
import { unknownCallResult } from "../../tools/unknown_calls.ts";
import { itemEvent, type ServerCall } from "../../tools/call_items.ts";
import type { ServerToolsDeps } from "./server_tools_deps.ts";
import type { LoopLimits } from "./loop_limits.ts";
import { endEvents, requestEvents } from "./call_events.ts";
import { CallQueue } from "./call_queue.ts";
import { CallStarts } from "./call_starts.ts";
import type { StartLoop } from "./loop_options.ts";
import type { LoopTime } from "./loop_time.ts";
import { nestedContext, readAll, runModel } from "./nested_model.ts";
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
  readonly time: LoopTime;
  /** Turn of the client's to which the calls belong, where the loop is that of a tool's model. */
  readonly nestedStep?: number;
  /** For models that a tool runs. */
  readonly startLoop: StartLoop;
}

export interface TurnCalls {
  readonly step: number;
  readonly calls: readonly ServerCall[];
  /** Calls of tools that were not offered. */
  readonly unknownCalls: readonly ToolCallItem[];
  readonly request: ModelRequest;
  /** The conversation until now, with the messages of the turn. */
  readonly transcript: readonly Item[];
  /** Id of the model that has made them. */
  readonly model: string;
  readonly seesImages: boolean;
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
  readonly #images = new ResultImages();

  constructor(options: ToolCallsOptions) {
    this.#options = options;
  }

  /** The events of the calls, each as it ends; in the end what the model is told. */
  async *run(turn: TurnCalls): AsyncGenerator<readonly OutputEvent[], CallResults> {
    const { toolUse } = this.#options.context.record;
    toolUse.requested += turn.calls.length + turn.unknownCalls.length;
    const outcomes = new Map<ServerCall, ToolOutcome>();
    const queue = new CallQueue();
    const start = (one: ServerCall) =>
      this.#runOne(one, { turn, queue }).then(
        (outcome) => queue.push({ type: "end", one, outcome }),
        (error) => queue.push({ type: "fault", error }),
      );
    const requested = turn.calls.flatMap(requestEvents);
    if (requested.length > 0) yield requested;
    const starts = new CallStarts(turn.calls, { areAlone: turn.request.parallelToolCalls === false });
    while (starts.isBusy) {
      for (const one of starts.next()) start(one);
      const events: OutputEvent[] = [];
      for (const message of await queue.take()) {
        if (message.type === "fault") throw message.error;
        if (message.type === "progress") {
          events.push(message.event);
          continue;
        }
        const { one, outcome } = message;
        starts.end(one);
        if (outcome !== undefined) outcomes.set(one, outcome);
        events.push(...endEvents(one, outcome));
      }
      yield events;
    }
    const done = turn.calls.flatMap((one) => this.#resultOf(one, outcomes.get(one)));
    const unknown = turn.unknownCalls.map((call) => this.#refuse(call, turn));
    return {
      results: [...done, ...unknown],
      found: [...outcomes.values()].flatMap(({ found }) => found ?? []),
    };
  }

  #resultOf({ call }: ServerCall, outcome: ToolOutcome | undefined): readonly ToolResultItem[] {
    if (call === undefined || outcome === undefined) return [];
    const output = this.#images.outputOf(outcome.output, outcome.images);
    return [{ type: "result", kind: "function", callId: call.callId, output }];
  }

  /** A call that cannot be run counts as one that ran: a model that makes up calls comes to its limit. */
  #refuse(call: ToolCallItem, { request: { tools } }: TurnCalls): ToolResultItem {
    this.#options.limits.takeCall();
    return unknownCallResult(call, tools);
  }

  /** Undefined for a call that the client answers. */
  async #runOne(one: ServerCall, running: RunningTurn): Promise<ToolOutcome | undefined> {
    const { definition, settings } = one.tool;
    const { deps, context, nestedStep } = this.#options;
    const text = one.call?.arguments ?? "";
    const isForClient = !isRunHere(definition, settings) &&
      typeof parseArguments(definition, text) !== "string";
    if (isForClient) return undefined;
    const { rules, reason } = await this.#admit(definition);
    if (reason !== undefined) {
      const fields = { ...definition.itemFields({}, settings), ...definition.failedFields?.(reason) };
      return failedCall(reason, fields);
    }
    context.record.toolUse.executed++;
    const startedAt = deps.clock.monotonic();
    const step = nestedStep ?? running.turn.step;
    const call = context.record.openCall({ step, purpose: `tool:${definition.kind}`, startedAt });
    const ms = this.#msFor(timeOf(definition, text));
    const end = this.#endOf(call, ms);
    const work = runTool(definition, this.#runOptions(one, { ...running, call, end, ms, rules }));
    const { outcome: whole, fault } = await work.finally(end.release);
    if (fault !== undefined) {
      deps.log.error("Server tool failed", { tool: definition.kind, error: String(fault) });
    }
    call.finish({ status: whole.failed === true ? "failed" : "completed", at: deps.clock.monotonic() });
    return await readOutcome(context, { outcome: whole, kind: definition.kind });
  }

  #runOptions(one: ServerCall, { turn, queue, call, end, ms, rules }: BegunCall): ToolRunOptions {
    const { deps, context, memory, limited } = this.#options;
    const { record, request: original, ids: { generation }, origin } = context;
    const hold = <T>(work: Promise<T>) => {
      record.holdReceipt(work);
      return work;
    };
    const emit = (value: { readonly type: string } & JsonObject) =>
      queue.push({ type: "progress", event: itemEvent(one, value) });
    return {
      text: one.call?.arguments ?? "",
      settings: one.tool.settings,
      session: toolSession(context),
      include: turn.request.include,
      countCommands: (use) => call.commandUse = use,
      tools: turn.request.tools,
      request: original,
      name: one.tool.name,
      model: turn.model,
      seesImages: turn.seesImages,
      depth: context.runDepth ?? 0,
      transcript: turn.transcript,
      deps: deps.toolDeps,
      defaults: rules?.defaults,
      memory,
      limited,
      ms,
      ended: end.reason,
      signal: end.abort,
      purchase: (purchase) => hold(buyService(context, { call, purchase })),
      callModel: (request) =>
        hold(readAll(this.#options.next(nestedContext(context, { request, call, signal: end.signal })))),
      runModel: (run) => hold(runModel({ ...this.#options, step: call.step }, run)),
      finder: modelFinder(deps, { generation, rules }),
      emit: original.stream && origin?.api === "responses" ? emit : undefined,
      addStage: (stage) => record.addStage(stage),
    };
  }

  /** Whether one more call may run by the rules of now; counts it. */
  async #admit({ kind }: ToolDefinition): Promise<AdmittedCall> {
    const { deps, limits, context: { caller } } = this.#options;
    try {
      const rules = await deps.rulesOf?.(caller);
      const isDisabled = rules?.defaults?.disabledTools?.has(kind) === true;
      if (isDisabled) return { rules, reason: `The workspace has disabled the server tool ${kind}.` };
      return limits.takeCall() ? { rules } : { rules, reason: "limit reached" };
    } catch (error) {
      if (error instanceof ApiError) return { rules: undefined, reason: error.message };
      throw error;
    }
  }

  #msFor(ownMs: number): number {
    const { deps: { limits }, time } = this.#options;
    return time.forCall(Math.max(limits.toolMs, ownMs));
  }

  /** When a call has to end: its time is over, or the request is. */
  #endOf(call: CallRecord, ms: number) {
    const { deps: { clock, stop }, ended } = this.#options;
    return callEndOf(call, { clock, ms, word: "tool", ended, stop });
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
  return {
    ...outcome,
    ...await guard.readToolOutput({ output, fields }, { kind, bringer: `server tool ${kind}` }),
  };
}

/** The caller, whose containers and files a request has. */
export const toolSession = ({ caller, request, ids }: RequestContext): ToolSession => ({
  workspaceId: caller.workspaceId,
  keyHash: caller.keyHash,
  sessionId: request.sessionId,
  generation: ids.generation,
});

/** Milliseconds that a tool asks for itself. */
function timeOf(definition: ToolDefinition, text: string): number {
  const args = parseArguments(definition, text);
  return typeof args === "string" ? 0 : definition.timeMs?.(args) ?? 0;
}

interface RunningTurn {
  readonly turn: TurnCalls;
  readonly queue: CallQueue;
}

interface BegunCall extends RunningTurn {
  readonly call: CallRecord;
  readonly end: ReturnType<typeof callEndOf>;
  readonly ms: number;
  readonly rules: CallerRules | undefined;
}

interface AdmittedCall {
  readonly rules: CallerRules | undefined;
  /** Why it may not run, for the model. */
  readonly reason?: string;
}
