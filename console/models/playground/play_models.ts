/** The models that may be asked: a manager's are those of the workspace, as on the page of models; a holder's own. */

import type { ReadonlySignal } from "@preact/signals";
import type { ManagedModel } from "../../../shared/management/gateway/models.ts";
import type { ConsoleApi } from "../../api.ts";
import { createResource } from "../../resource.ts";
import { readCatalog } from "../catalog/catalog.ts";
import { asJson, isJson, type Json, listOf, numberOf, objectOf, textOf, textsOf } from "./json.ts";

export interface PlayModel {
  readonly id: string;
  readonly contextLength: number | null;
  readonly takes: ReadonlySet<string>;
  readonly writes: ReadonlySet<string>;
  readonly parameters: ReadonlySet<string>;
  readonly voices: readonly string[];
  /** USD a token; undefined for one without a price. */
  readonly promptUsd: number | undefined;
  readonly completionUsd: number | undefined;
}

interface PlayModelsDeps {
  readonly api: Pick<ConsoleApi, "call" | "send">;
  /** The workspace of a manager; undefined for a key holder. */
  readonly workspaceId: ReadonlySignal<string | undefined>;
  readonly isManager: boolean;
}

const usdOf = (pricing: Json, name: string): number | undefined => {
  const price = Number(textOf(pricing, name) ?? "0");
  return pricing.unpriced === true || !Number.isFinite(price) ? undefined : price;
};

const managed = (model: ManagedModel): PlayModel => ({
  id: model.id,
  contextLength: model.context_length,
  takes: new Set(model.input_modalities),
  writes: new Set(model.output_modalities),
  parameters: new Set(model.supported_parameters),
  voices: model.supported_voices,
  promptUsd: model.unpriced ? undefined : usdOf(model.pricing, "prompt"),
  completionUsd: model.unpriced ? undefined : usdOf(model.pricing, "completion"),
});

function listed(model: Json): PlayModel {
  const [architecture, pricing] = [objectOf(model, "architecture"), objectOf(model, "pricing")];
  return {
    id: textOf(model, "id") ?? "",
    contextLength: numberOf(model, "context_length") ?? null,
    takes: new Set(textsOf(architecture, "input_modalities")),
    writes: new Set(textsOf(architecture, "output_modalities")),
    parameters: new Set(textsOf(model, "supported_parameters")),
    voices: textsOf(model, "supported_voices"),
    promptUsd: usdOf(pricing, "prompt"),
    completionUsd: usdOf(pricing, "completion"),
  };
}

/** As the page of models reads it, without what no endpoint is left for. */
async function readManaged({ api, workspaceId }: PlayModelsDeps, signal: AbortSignal) {
  const { value: id } = workspaceId;
  if (id === undefined) return [];
  const models = await readCatalog({ api, workspaceId: id }, signal);
  return models.filter(({ allowed }) => allowed).map(managed);
}

async function readListed({ api }: PlayModelsDeps, signal: AbortSignal): Promise<readonly PlayModel[]> {
  const response = await api.send("GET", "/console/api/models/user?output_modalities=all", { signal });
  return listOf(asJson(await response.json()), "data").filter(isJson).map(listed);
}

export function playModels(deps: PlayModelsDeps) {
  return createResource((signal) => deps.isManager ? readManaged(deps, signal) : readListed(deps, signal));
}

export const isVoice = ({ writes }: PlayModel): boolean => writes.has("speech") || writes.has("audio");

/** Whether it can be talked to. */
export const isWriter = (model: PlayModel): boolean => !isVoice(model) && !model.writes.has("embeddings");
