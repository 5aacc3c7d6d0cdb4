/** Has a model answer for a tool: never rejects for what a provider, a limit or a guardrail says. */

import { ApiError, type ApiErrorKind } from "../../../../shared/errors.ts";
import { ModelReply } from "../fusion/model_reply.ts";
import type { ModelRun, ToolInput } from "../tool_definition.ts";
import { ToolMemory, type WebSource } from "../tool_memory.ts";
import type { RunEnd } from "./run_end.ts";

export interface RunFailure {
  readonly kind: ApiErrorKind;
  readonly message: string;
}

interface ModelAnswer {
  readonly reply: ModelReply;
  /** Id of the model; undefined where none could be called, or the run was ended. */
  readonly model?: string;
  /** Why the run came to nothing; undefined where the model has said something. */
  readonly failure?: RunFailure;
  /** Pages that its tools found, and those that it cites. */
  readonly sources: readonly WebSource[];
}

interface Question extends Pick<ModelRun, "request" | "purpose"> {
  readonly end: RunEnd;
  readonly onDelta?: (kind: "text" | "thought", delta: string) => void;
}

export async function askModel(
  { runModel }: Pick<ToolInput, "runModel">,
  { request, purpose, end, onDelta = () => {} }: Question,
): Promise<ModelAnswer> {
  const memory = new ToolMemory();
  const reply = new ModelReply(onDelta);
  const onEvents: ModelRun["onEvents"] = (batch) => reply.read(batch);
  let model: string | undefined;
  const run = runModel({ request, purpose, memory, signal: end.signal, onEvents }).then((id) =>
    void (model = id)
  );
  const failure = await failureOf(run, { reply, end });
  return { reply, model, failure, sources: [...memory.sources, ...reply.sources] };
}

interface Ending {
  readonly reply: ModelReply;
  readonly end: RunEnd;
}

async function failureOf(run: Promise<void>, { reply, end }: Ending): Promise<RunFailure | undefined> {
  try {
    await Promise.race([run, end.over]);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (!end.isLate()) return { kind: error.kind, message: error.message };
  }
  if (end.isLate()) {
    return {
      kind: "upstream_timeout",
      message: `The model took longer than ${Math.round(end.ms / 1_000)} s.`,
    };
  }
  if (end.signal.fired) return { kind: "timeout", message: "The run was ended." };
  if (reply.failure !== undefined) return reply.failure;
  return reply.text === ""
    ? { kind: "upstream_failed", message: "The model answered without text." }
    : undefined;
}
