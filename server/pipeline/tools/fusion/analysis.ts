/** The analyst of a run: compares the panel's answers, at temperature 0, and says so in JSON. */

import * as z from "zod";
import { fusionAnalysis } from "../../../../shared/responses/service_output_items.ts";
import { tryParseJson } from "../../../../shared/util/json.ts";
import { pause } from "../../../../shared/util/pause.ts";
import { runWork, WorkTooLong } from "../../../../shared/util/run_work.ts";
import type { OutputFormat } from "../../../protocols/canonical/request.ts";
import { healJson } from "../../plugins/healing/heal_json.ts";
import type { ToolInput } from "../tool_definition.ts";
import type { WebSource } from "../tool_memory.ts";
import { askModel } from "../nested/ask_model.ts";
import { endOf } from "../nested/run_end.ts";
import type { RunModel } from "./choose_models.ts";
import { analysisSchema, analystRequest, type PanelAnswer } from "./fusion_requests.ts";
import type { FusionSettings } from "./fusion_settings.ts";

type Analysis = z.infer<typeof fusionAnalysis>;

type AnalysisFailure =
  | "judge_not_valid_json"
  | "judge_schema_mismatch"
  | "judge_upstream_error"
  | "judge_empty_completion";

export interface AnalysisResult {
  readonly analysis?: Analysis;
  /** Why there is none. */
  readonly failure?: AnalysisFailure;
  readonly sources: readonly WebSource[];
}

interface AnalysisOptions {
  readonly input: ToolInput;
  readonly settings: FusionSettings;
  readonly analyst: RunModel;
  readonly answers: readonly PanelAnswer[];
  /** Milliseconds. */
  readonly ms: number;
}

const FORMAT = { type: "json_schema", name: "analysis", schema: analysisSchema, strict: true } as const;

export async function analyze(options: AnalysisOptions): Promise<AnalysisResult> {
  const { input, settings, analyst, answers, ms } = options;
  const { emit } = input;
  const named = { analyst_model: analyst.id, judge_model: analyst.id };
  emit?.({ type: "response.fusion_call.analysis.in_progress", ...named });
  const end = endOf(input, ms);
  try {
    const { reply, failure, sources } = await askModel(input, {
      request: analystRequest({
        request: input.request,
        settings,
        model: analyst.name,
        answers,
        format: formatAt(analyst),
      }),
      purpose: "fusion:analysis",
      end,
    });
    const isSilent = failure !== undefined && reply.failure === undefined && reply.text === "" &&
      reply.isOver;
    if (isSilent) return { sources, failure: "judge_empty_completion" };
    if (failure !== undefined) return { sources, failure: "judge_upstream_error" };
    const read = await readAnalysis(reply.text, input);
    if (typeof read === "string") return { sources, failure: read };
    emit?.({ type: "response.fusion_call.analysis.completed", analysis: read });
    return { sources, analysis: read };
  } finally {
    end.release();
  }
}

/** Endpoints that hold to a schema are given it; the prompt tells all of them. */
export function formatAt({ candidate: { profile } }: RunModel): OutputFormat {
  const { endpoint: { provider } } = profile;
  const holds = profile.parameters.has("structured_outputs") || provider.builtIn === true;
  // Gemini takes no schema beside tools.
  return holds && provider.wire !== "gemini" ? FORMAT : { type: "text" };
}

/** Keys that the model has left out are empty lists. */
const written = z.looseObject({
  consensus: fusionAnalysis.shape.consensus.default([]),
  contradictions: fusionAnalysis.shape.contradictions.default([]),
  partial_coverage: fusionAnalysis.shape.partial_coverage.default([]),
  unique_insights: fusionAnalysis.shape.unique_insights.default([]),
  blind_spots: fusionAnalysis.shape.blind_spots.default([]),
});
const keys = Object.keys(written.shape);

/** Healed once; a word for a text that holds no analysis. */
async function readAnalysis(
  text: string,
  { deps: { clock } }: ToolInput,
): Promise<Analysis | AnalysisFailure> {
  const value = await healedValue(text, clock);
  if (value === undefined) return "judge_not_valid_json";
  const read = written.safeParse(value);
  return read.success && keys.some((key) => Object.hasOwn(Object(value), key))
    ? toAnalysis(read.data)
    : "judge_schema_mismatch";
}

/** Undefined for a text that holds no JSON object. */
async function healedValue(text: string, clock: ToolInput["deps"]["clock"]): Promise<unknown> {
  try {
    const healing = await runWork(healJson(text, { type: "json_object" }), { clock, pause });
    if (healing.type === "unhealed") return tryParseJson(text);
    return tryParseJson(healing.type === "healed" ? healing.text : text);
  } catch (error) {
    if (error instanceof WorkTooLong) return undefined;
    throw error;
  }
}

const toAnalysis = (
  { consensus, contradictions, partial_coverage, unique_insights, blind_spots }: Analysis,
): Analysis => ({ consensus, contradictions, partial_coverage, unique_insights, blind_spots });
