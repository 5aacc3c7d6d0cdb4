/** The turns of a request with server tools, as one response. */

import { ApiError } from "../../../../shared/errors.ts";
import type { Failure, FailureEvent, FinishEvent, OutputEvent } from "../../../protocols/canonical/event.ts";
import type { Item } from "../../../protocols/canonical/item.ts";
import type { ModelRequest } from "../../../protocols/canonical/request.ts";
import { addUsage, type Usage } from "../../../protocols/canonical/usage.ts";
import { OneShotSignal } from "../../../one_shot_signal.ts";
import type { CallRecord, ModelResponse } from "../../request_context.ts";
import type { Endpoint } from "../../../providers/endpoint.ts";
import type { Source } from "../../../protocols/stream/source.ts";
import { Citations } from "../../tools/web/citations.ts";
import { takesImages } from "../../tools/result_images.ts";
import { ToolMemory } from "../../tools/tool_memory.ts";
import { findRevealedTools, revealTools } from "../../tools/tool_search/deferred_tools.ts";
import { finishedItem } from "../../tools/call_items.ts";
import { TurnReader } from "../../tools/turn_reader.ts";
import { turnFailure } from "./turn_failure.ts";
import { LoopLimits } from "./loop_limits.ts";
import { LoopTime } from "./loop_time.ts";
import { recordLoop } from "./record_loop.ts";
import { fieldsOfCall } from "./call_events.ts";
import type { ToolLoopOptions } from "./loop_options.ts";
import { Opening } from "./opening.ts";
import { type CallResults, ToolCalls, type TurnCalls } from "./tool_calls.ts";
import { withoutCalls, withTurn } from "./turn_request.ts";

/** A turn of the model under way. Its response stands in `#source` while it is read, and nowhere longer. */
interface Turn {
  readonly step: number;
  readonly call: CallRecord;
  readonly reader: TurnReader;
  readonly endpoint: Endpoint;
}

type LastEvent = FinishEvent | FailureEvent;
type Batch = readonly OutputEvent[];

export class ToolLoop {
  readonly #options: ToolLoopOptions;
  readonly #limits: LoopLimits;
  readonly #calls: ToolCalls;
  /** Fires when the request is over before its model is: the client has left, or its time has passed. */
  readonly #ended = new OneShotSignal();
  readonly #memory: ToolMemory;
  readonly #citations: Citations;
  readonly #forget: readonly (() => void)[];
  readonly #opening = new Opening();
  #request: ModelRequest;
  #endpoint: Endpoint | undefined;
  #usage: Usage | undefined;
  #isLate = false;
  #isOver = false;
  /** Nothing can be called any more. */
  #isLastTurn = false;
  #source: Source<OutputEvent> | undefined;

  constructor(options: ToolLoopOptions) {
    const { deps, next, context, plan: { request }, limited, nested } = options;
    this.#options = options;
    this.#memory = nested?.memory ?? new ToolMemory();
    this.#citations = new Citations(this.#memory);
    this.#limits = new LoopLimits(request, deps.limits);
    this.#request = { ...request, tools: revealTools(request.tools, findRevealedTools(request)) };
    this.#calls = new ToolCalls({
      deps,
      next,
      context,
      limited,
      limits: this.#limits,
      memory: this.#memory,
      ended: this.#ended,
      time: new LoopTime(deps.clock, this.#loopMs),
      nestedStep: nested?.step,
      startLoop: (loop) => new ToolLoop(loop).start(),
    });
    const endLate = () => {
      this.#isLate = true;
      this.#ended.fire();
    };
    this.#forget = [
      deps.clock.after(this.#loopMs, endLate),
      context.clientDisconnect.onFire(() => this.#ended.fire()),
    ];
  }

  /** The response, once its first turn has begun. Throws as the first turn's call does. */
  async start(): Promise<ModelResponse> {
    try {
      this.#request = await this.#opening.runApproved({
        mcp: this.#options.mcp,
        calls: this.#calls,
        request: this.#request,
        suffix: this.#suffix,
      });
      const turn = await this.#startTurn(this.#options.context.call, 1);
      const events = this.#events(turn);
      const pull = async () => {
        const { value, done } = await events.next();
        return done === true ? undefined : value;
      };
      return { endpoint: turn.endpoint, source: { pull, cancel: (reason) => this.#cancel(reason) } };
    } catch (error) {
      this.#release();
      throw this.#isLate ? new ApiError("timeout", this.#lateMessage) : error;
    }
  }

  /** The generation, without its prefix. */
  get #suffix(): string {
    return this.#options.context.ids.generation.slice("gen-".length);
  }

  get #loopMs(): number {
    const { context: { request }, deps: { limits } } = this.#options;
    return request.stream ? limits.streamedLoopMs : limits.wholeLoopMs;
  }

  get #lateMessage(): string {
    return `The request with its server tools took longer than ${this.#loopMs / 1_000} s.`;
  }

  async #startTurn(call: CallRecord, step: number): Promise<Turn> {
    const { next, context, plan } = this.#options;
    const calling = next({
      ...context,
      request: this.#request,
      call,
      clientDisconnect: this.#ended,
      preferredEndpoint: this.#endpoint,
    }).then((response) => {
      if (this.#isOver) response.source.cancel("The request is over.");
      return response;
    });
    context.record.holdReceipt(calling);
    const { endpoint, source } = await calling;
    this.#endpoint = endpoint;
    this.#source = source;
    return { step, call, endpoint, reader: new TurnReader({ step, suffix: this.#suffix, ...plan }) };
  }

  async *#events(first: Turn): AsyncGenerator<Batch> {
    for (let turn: Turn | undefined = first; turn !== undefined;) {
      yield* this.#readTurn(turn);
      const { reader, step, endpoint } = turn;
      const last = this.#endOfTurn(turn);
      yield this.#citations.add(reader.closeItems());
      const goesOn = last.type === "finish" && last.reason === "stop" && reader.calledHere;
      if (!goesOn || this.#isLastTurn) {
        return yield* this.#end(withoutReason(last, reader), this.#unrunCalls(reader));
      }
      const { calls, unknownCalls } = reader;
      const transcript = [...this.#request.input, ...reader.items.filter(isMessage)];
      const model = { model: endpoint.model.id, seesImages: takesImages(endpoint) };
      const asked = { request: this.#request, transcript, ...model };
      const results = yield* this.#runCalls({ step, calls, unknownCalls, ...asked });
      if (results === undefined) return;
      const isPending = reader.waitsForClient || results.results.length < calls.length + unknownCalls.length;
      if (isPending || this.#endReason !== undefined) return yield* this.#end(last);
      const request = withTurn(this.#request, { items: reader.items, results: results.results });
      this.#request = { ...request, tools: revealTools(request.tools, new Set(results.found)) };
      turn = yield* this.#nextTurn(turn);
    }
  }

  /** Undefined where a guardrail has blocked what a tool brought: the response has ended. */
  async *#runCalls(calls: TurnCalls): AsyncGenerator<Batch, CallResults | undefined> {
    try {
      return yield* this.#calls.run(calls);
    } catch (error) {
      this.#ended.fire();
      yield* this.#end(turnFailure(error, this.#options.deps.log));
      return undefined;
    }
  }

  async *#readTurn({ reader }: Turn): AsyncGenerator<Batch> {
    while (reader.last === undefined) {
      const batch = await this.#source?.pull();
      if (batch === undefined) return;
      const events = this.#opening.addTo(this.#citations.add(reader.read(batch)));
      if (events.length > 0) yield events;
    }
  }

  /** How a turn ended; counts what it used. */
  #endOfTurn({ call, reader }: Turn): LastEvent {
    const last: LastEvent = reader.last ?? { type: "failure", failure: cut };
    this.#source = undefined;
    this.#usage = addUsage(this.#usage, last.usage);
    if (last.type === "finish") this.#options.context.record.keepsOutput = true;
    const isWhole = last.type === "finish" && last.reason === "stop";
    const status = last.type === "failure" ? "failed" : isWhole ? "completed" : "incomplete";
    call.finish({ status, at: this.#options.deps.clock.monotonic() });
    return last;
  }

  /** Undefined where no turn follows: the response has ended. */
  async *#nextTurn({ step: before, reader }: Turn): AsyncGenerator<Batch, Turn | undefined> {
    const { context: { record, ids }, plan, deps: { clock, log }, nested } = this.#options;
    const { maxOutputTokens } = plan.request;
    const left = maxOutputTokens === undefined
      ? undefined
      : maxOutputTokens - (this.#usage?.outputTokens ?? 0);
    if (left !== undefined && left < 1) {
      yield* this.#end({ type: "finish", reason: "length" });
      return undefined;
    }
    const called = reader.calls.flatMap(({ tool }) => [tool.name, tool.definition.kind]);
    this.#isLastTurn = this.#limits.isReached({ step: before, called, usage: this.#usage, record });
    if (this.#limits.reached === "limits.loop_turns") {
      log.warn("Loop of server tools reached its limit of turns", {
        generation: ids.generation,
        setting: "limits.loop_turns",
        turns: before,
      });
    }
    const capped = { ...this.#request, maxOutputTokens: left };
    this.#request = this.#isLastTurn ? withoutCalls(capped) : capped;
    const step = before + 1;
    const call = record.openCall({
      step: nested?.step ?? step,
      purpose: nested?.purpose ?? "model",
      startedAt: clock.monotonic(),
    });
    try {
      return await this.#startTurn(call, step);
    } catch (error) {
      call.finish({ status: "failed", at: clock.monotonic() });
      yield* this.#end(turnFailure(error, this.#options.deps.log));
      return undefined;
    }
  }

  /** Calls that nobody runs, because the turn was cut short or no turn follows. */
  #unrunCalls({ calls }: TurnReader): Batch {
    return calls.filter(({ tool }) => tool.definition.opensLate !== true).map((one) => ({
      type: "item_done",
      itemKey: one.itemKey,
      item: finishedItem(one, { status: "incomplete", fields: fieldsOfCall(one) }),
    }));
  }

  /** The last events of the response. Nothing is pulled behind them, so everything is let go of before. */
  async *#end(last: LastEvent, before: Batch = []): AsyncGenerator<Batch> {
    const failure = this.#endReason;
    const usage = this.#usage;
    this.#release();
    yield [...before, failure === undefined ? { ...last, usage } : { type: "failure", failure, usage }];
  }

  /** Why the request ends now; undefined where it may go on. */
  get #endReason(): Failure | undefined {
    const { context: { clientDisconnect, record }, deps: { stop } } = this.#options;
    if (this.#isLate) return { kind: "timeout", message: this.#lateMessage };
    if (record.abortReason !== undefined) return record.abortReason;
    if (clientDisconnect.fired || this.#isOver) return { kind: "timeout", message: "Client disconnected." };
    return stop.fired ? { kind: "unavailable", message: "The gateway is stopping." } : undefined;
  }

  #cancel(reason: string): void {
    if (this.#isOver) return;
    this.#release();
    this.#ended.fire();
    this.#source?.cancel(reason);
  }

  #release(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    for (const run of this.#forget) run();
    const { context: { record }, nested, mcp } = this.#options;
    if (mcp !== undefined) record.holdReceipt(mcp.session.close());
    if (nested === undefined) recordLoop(record, this.#limits.reached);
  }
}

const isMessage = ({ type }: Item): boolean => type === "message";

/** A provider that says that it ended for its calls says so of calls that the client never sees. */
function withoutReason(last: LastEvent, { calledHere }: TurnReader): LastEvent {
  return last.type === "failure" || !calledHere ? last : { ...last, extra: undefined };
}

const cut: Failure = {
  kind: "upstream_failed",
  message: "The provider's stream ended before it was complete.",
};
