/** The panel of a run: every member answers the same prompt, side by side, each with tools of its own. */

import { type ApiErrorKind, apiErrorKinds } from "../../../../shared/errors.ts";
import type { JsonObject } from "../../../protocols/canonical/item.ts";
import type { ToolInput } from "../tool_definition.ts";
import { askModel, type RunFailure } from "../nested/ask_model.ts";
import { endOf, type RunEnd } from "../nested/run_end.ts";
import type { WebSource } from "../tool_memory.ts";
import type { RunModel } from "./choose_models.ts";
import { memberRequest, type PanelAnswer } from "./fusion_requests.ts";
import type { FusionSettings } from "./fusion_settings.ts";

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
  readonly failure?: RunFailure;
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

interface MemberOptions {
  readonly input: ToolInput;
  readonly settings: FusionSettings;
  readonly end: RunEnd;
}

async function runMember(
  member: RunModel,
  { input, settings, end }: MemberOptions,
): Promise<MemberEnd> {
  const model = member.id;
  const emit = (type: string, fields: JsonObject) =>
    input.emit?.({ type: `response.fusion_call.panel.${type}`, model, ...fields });
  emit("added", {});
  const { reply, failure, sources } = await askModel(input, {
    request: memberRequest({ request: input.request, settings, model: member.name }),
    purpose: "fusion:panel",
    end,
    onDelta: (kind, delta) => emit(kind === "text" ? "delta" : "reasoning.delta", { delta }),
  });
  if (failure !== undefined) {
    const { model: _own, ...fields } = failedMember(model, failure);
    emit("failed", fields);
    return { sources, failure };
  }
  emit("completed", { content: reply.text });
  return { sources, answer: { model, content: reply.text } };
}

const failedMember = (model: string, { kind, message }: RunFailure): FailedMember => ({
  model,
  error: message,
  status_code: apiErrorKinds[kind].status,
});
