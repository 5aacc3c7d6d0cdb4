/** The requests of a run whose members write as much as they may, for what explain shows. */

import type { ModelRequest } from "../../../protocols/canonical/request.ts";
import { formatAt } from "./analysis.ts";
import { longestText } from "../longest_text.ts";
import type { RunModel, RunModels } from "./choose_models.ts";
import { analystRequest, memberRequest } from "./fusion_requests.ts";
import type { FusionSettings } from "./fusion_settings.ts";

/** A call of a run. */
interface RunCall {
  readonly model: RunModel;
  readonly request: ModelRequest;
}

interface LongestRun {
  /** In the order of the panel. */
  readonly panel: readonly RunCall[];
  readonly analyst: RunCall;
}

interface RunInput {
  /** The client's. */
  readonly request: ModelRequest;
  readonly settings: FusionSettings;
  readonly models: RunModels;
}

/** The first call of each model; those that follow a call of a tool are not known before. */
export function longestRun({ request, settings, models: { panel, analyst } }: RunInput): LongestRun {
  const answers = panel.map((model) => ({
    model: model.id,
    content: longestText(model.candidate.profile.endpoint, settings.maxTokens),
  }));
  return {
    panel: panel.map((model) => ({
      model,
      request: memberRequest({ request, settings, model: model.name }),
    })),
    analyst: {
      model: analyst,
      request: analystRequest({
        request,
        settings,
        model: analyst.name,
        answers,
        format: formatAt(analyst),
      }),
    },
  };
}
