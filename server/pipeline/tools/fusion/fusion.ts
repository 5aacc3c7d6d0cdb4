/**
 * Fusion: a panel of models answers the user's prompt side by side, an analyst compares the answers, and the model that
 * called the tool writes with all of it (docs/fusion.md).
 */

import { ApiError } from "../../../../shared/errors.ts";
import { fusionPresetNames } from "../../../../shared/fields/fusion.ts";
import { isRecord } from "../../../../shared/util/json.ts";
import type { JsonObject } from "../../../protocols/canonical/item.ts";
import type { ToolDefinition, ToolInput, ToolOutcome, ToolRequest } from "../tool_definition.ts";
import { analyze } from "./analysis.ts";
import { chooseModels, type RunModels } from "./choose_models.ts";
import { type FusionSettings, fusionSettings, namedTools } from "./fusion_settings.ts";
import { runTime } from "../nested/run_end.ts";
import { GRACE_MS } from "../nested/run_limits.ts";
import { runPanel } from "./panel.ts";
import { failedPanel, failedRun, wholeRun } from "./run_result.ts";

/** Milliseconds: of the panel, and of the whole run. */
export const PANEL_MS = 300_000;
export const RUN_MS = 600_000;
/** Milliseconds that the panel leaves to the analyst, at the most. */
const ANALYSIS_MS = 120_000;

const DESCRIPTION =
  "Asks a panel of other models the user's question, each on its own and with the web, and " +
  "compares their answers: consensus, contradictions, points that only some make, unique insights, blind spots. " +
  "Takes minutes and costs several answers. Use it at most once, for questions that are hard, open or worth a " +
  "second opinion; answer simple ones yourself.";

export const fusion: ToolDefinition = {
  kind: "fusion",
  innerTools: namedTools,
  describe: () => ({
    description: DESCRIPTION,
    parameters: { type: "object", properties: {}, additionalProperties: false },
  }),
  progress: {
    started: ["response.fusion_call.in_progress"],
    completed: ["response.fusion_call.completed"],
  },
  itemFields: () => ({}),
  failedStatus: "incomplete",
  endedFields: { failure_reason: "cancelled" },
  argumentsOf: () => ({}),
  outputOf: resultOfItem,
  timeMs: () => RUN_MS + GRACE_MS,
  checkSettings: ({ settings: { preset } }) =>
    preset === undefined || fusionPresetNames.some((name) => name === preset) ? undefined : {
      field: "preset",
      message: `must be one of ${fusionPresetNames.join(", ")}`,
    },
  verify: (request) => Promise.try(() => void modelsOf(request)),
  run,
};

interface ModelsInput extends Pick<ToolRequest, "settings" | "deps" | "request" | "finder"> {
  readonly defaults?: ToolInput["defaults"];
  /** The model that has called the tool, once one has. */
  readonly model?: string;
}

/** Throws an ApiError (404) where nobody can be reached. */
export function modelsOf(input: ModelsInput): {
  readonly settings: FusionSettings;
  readonly models: RunModels;
} {
  const { deps, request, finder } = input;
  const settings = fusionSettings(input.settings, {
    presets: deps.fusionPresets,
    disabled: input.defaults?.disabledTools,
  });
  return { settings, models: chooseModels({ request, settings, finder, caller: input.model }) };
}

async function run(input: ToolInput): Promise<ToolOutcome> {
  if (input.depth > 0) {
    const error = "fusion does not run within a run of another tool's model.";
    return failedRun({ reason: "fusion_invocation_capped", error });
  }
  if (!input.memory.takeUse("fusion", 1)) {
    const error = "fusion may run once a turn, and has run already: answer with what it gave.";
    return failedRun({ reason: "fusion_invocation_capped", error });
  }
  const { clock } = input.deps;
  const startedAt = clock.monotonic();
  const chosen = chosenModels(input);
  if ("output" in chosen) return chosen;
  const { settings, models } = chosen;
  const whole = runTime(input, RUN_MS);
  const panel = await runPanel({ input, settings, panel: models.panel, ms: panelTime(whole) });
  noteRun(input, chosen);
  if (input.signal.aborted) throw new ApiError("timeout", "The run was ended.");
  if (panel.answers.length === 0) return failedPanel(panel);
  const ms = whole - (clock.monotonic() - startedAt);
  const { answers } = panel;
  return wholeRun({
    panel,
    analysis: await analyze({ input, settings, analyst: models.analyst, answers, ms }),
  });
}

/** Half of the run, and all of its time but what the analyst needs. */
const panelTime = (whole: number): number => Math.min(PANEL_MS, Math.max(whole - ANALYSIS_MS, whole / 2));

/** Rules may have changed since the request began. */
function chosenModels(input: ToolInput): ReturnType<typeof modelsOf> | ToolOutcome {
  try {
    return modelsOf(input);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return failedRun({ reason: "invalid_model", error: error.message });
  }
}

function noteRun(
  { addStage }: ToolInput,
  { settings: { leftOut }, models }: ReturnType<typeof modelsOf>,
): void {
  const { panel, analyst, replaced, unreachable } = models;
  const members = panel.map(({ id }) => id);
  const names = replaced.map(({ model, by }) => `${by} for ${model}`);
  addStage({
    type: "plugin",
    name: "fusion",
    summary: `Asked ${members.join(", ")}; analyst ${analyst.id}.` +
      (names.length === 0 ? "" : ` Replaced: ${names.join(", ")}.`),
    data: {
      analysis_models: members,
      model: analyst.id,
      ...(replaced.length === 0 ? {} : { replaced }),
      ...(unreachable.length === 0 ? {} : { unreachable }),
      ...(leftOut.length === 0 ? {} : { left_out_tools: leftOut }),
    },
  });
}

/** The result that an item of a run tells, where nothing of it was cut. */
function resultOfItem(
  { analysis, failed_models, responses, error, failure_reason }: JsonObject,
): string | undefined {
  const failed = failed_models === undefined ? {} : { failed_models };
  if (Array.isArray(responses)) {
    return JSON.stringify({
      status: "ok",
      ...(isRecord(analysis) ? { analysis } : {}),
      ...failed,
      responses,
    });
  }
  if (typeof error !== "string") return undefined;
  return JSON.stringify({ status: "error", error, failure_reason, ...failed });
}
