/** The panel of a run: every member answers the same prompt, side by side, each with tools of its own. */

import { ApiError, type ApiErrorKind, apiErrorKinds } from "../../../../shared/errors.ts";
import { OneShotSignal } from "../../../one_shot_signal.ts";
import type { JsonObject } from "../../../protocols/canonical/item.ts";
import type { ToolInput } from "../tool_definition.ts";
import { ToolMemory, type WebSource } from "../tool_memory.ts";
import type { RunModel } from "./choose_models.ts";
import { memberRequest, type PanelAnswer } from "./fusion_requests.ts";
import type { FusionSettings } from "./fusion_settings.ts";
import { ModelReply } from "./model_reply.ts";

/** A member that came to nothing. */
export interface FailedMember {
  readonly model: string;
  readonly error: string;
  readonly status_code?: number;
}

export interface PanelResult {
  /** In the order of the panel. */
  readonly answers: readonly PanelAnswer[];
  readonly failed: readonly FailedMember[];
  readonly kinds: readonly ApiErrorKind[];
  readonly sources: readonly WebSource[];
}

interface PanelOptions {
  readonly input: ToolInput;
  readonly settings: FusionSettings;
  readonly panel: readonly RunModel[];
  /** Milliseconds. */
  readonly ms: number;
}

interface MemberEnd {
  readonly sources: readonly WebSource[];
  readonly answer?: PanelAnswer;
  readonly failure?: MemberFailure;
}

interface MemberFailure {
  readonly kind: ApiErrorKind;
  readonly message: string;
}

export async function runPanel({ input, settings, panel, ms }: PanelOptions): Promise<PanelResult> {
  const end = endOf(input, ms);
  try {
    const ends = await Promise.all(panel.map((member) => runMember(member, { input, settings, end })));
    const failures = ends.flatMap(({ failure }, at) => {
      const model = panel[at]?.id;
      return failure === undefined || model === undefined ? [] : [{ model, ...failure }];
    });
    return {
      answers: ends.flatMap(({ answer }) => answer ?? []),
      failed: failures.map(({ model, kind, message }) => failedMember(model, { kind, message })),
      kinds: failures.map(({ kind }) => kind),
      sources: ends.flatMap(({ sources }) => sources),
    };
  } finally {
    end.release();
  }
}

interface RunEnd {
  /** Fires when the time is over, or the call ends. */
  readonly signal: OneShotSignal;
  /** Resolves then. */
  readonly over: Promise<void>;
  readonly isLate: () => boolean;
  readonly ms: number;
  readonly release: () => void;
}

export function endOf({ deps: { clock }, signal: abort }: ToolInput, ms: number): RunEnd {
  const signal = new OneShotSignal();
  const { promise: over, resolve } = Promise.withResolvers<void>();
  let late = false;
  const end = () => {
    resolve();
    signal.fire();
  };
  const forget = clock.after(ms, () => {
    late = true;
    end();
  });
  abort.addEventListener("abort", end);
  if (abort.aborted) end();
  const release = () => {
    forget();
    abort.removeEventListener("abort", end);
  };
  return { signal, over, isLate: () => late, ms, release };
}

interface MemberOptions {
  readonly input: ToolInput;
  readonly settings: FusionSettings;
  readonly end: RunEnd;
}

/** Never rejects for what a provider, a limit or a guardrail says. */
async function runMember(
  member: RunModel,
  { input, settings, end }: MemberOptions,
): Promise<MemberEnd> {
  const model = member.id;
  const emit = (type: string, fields: JsonObject) =>
    input.emit?.({ type: `response.fusion_call.panel.${type}`, model, ...fields });
  emit("added", {});
  const memory = new ToolMemory();
  const reply = new ModelReply((kind, delta) =>
    emit(kind === "text" ? "delta" : "reasoning.delta", { delta })
  );
  const request = memberRequest({ request: input.request, settings, model: member.name });
  const run = input.runModel({
    request,
    purpose: "fusion:panel",
    memory,
    signal: end.signal,
    onEvents: (batch) => reply.read(batch),
  });
  const failure = await failureOf(run, { reply, end });
  const sources = [...memory.sources, ...reply.sources];
  if (failure !== undefined) {
    const { model: _own, ...fields } = failedMember(model, failure);
    emit("failed", fields);
    return { sources, failure };
  }
  emit("completed", { content: reply.text });
  return { sources, answer: { model, content: reply.text } };
}

interface Ending {
  readonly reply: ModelReply;
  readonly end: RunEnd;
}

/** Why the run of a model came to nothing; undefined where it has said something. */
export async function failureOf(
  run: Promise<void>,
  { reply, end }: Ending,
): Promise<MemberFailure | undefined> {
  try {
    await Promise.race([run, end.over]);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (!end.isLate()) return { kind: error.kind, message: error.message };
  }
  if (end.isLate()) {
    return { kind: "timeout", message: `The model took longer than ${Math.round(end.ms / 1_000)} s.` };
  }
  if (end.signal.fired) return { kind: "timeout", message: "The run was ended." };
  if (reply.failure !== undefined) return reply.failure;
  return reply.text === ""
    ? { kind: "upstream_failed", message: "The model answered without text." }
    : undefined;
}

const failedMember = (model: string, { kind, message }: MemberFailure): FailedMember => ({
  model,
  error: message,
  status_code: apiErrorKinds[kind].status,
});
