/** Access to a model: what the guardrails of each workspace leave of its endpoints. */

import type { ReadonlySignal } from "@preact/signals";
import { type ConsoleApi, operation } from "../../api.ts";
import { createResource, type Resource } from "../../resource.ts";
import { modelSums } from "./model_figures.ts";

const listModels = operation<"models.list">("GET", "/models");

/** Workspaces that are asked for at once. */
export const WORKSPACES_A_STEP = 10;

export interface ModelAccess {
  readonly workspaceId: string;
  /** Endpoints that are left, of how many. */
  readonly allowed: number;
  readonly all: number;
  /** Why the first of them is not; undefined where all are left, or there is none. */
  readonly reason: string | undefined;
}

interface AccessDeps {
  readonly api: Pick<ConsoleApi, "call">;
  /** The first ones of the gateway. */
  readonly workspaceIds: ReadonlySignal<readonly string[]>;
}

export function createModelAccess(
  modelId: string,
  { api, workspaceIds }: AccessDeps,
): Resource<readonly ModelAccess[]> {
  const readOne = async (workspaceId: string, signal: AbortSignal): Promise<ModelAccess> => {
    // By the words of its id others are found, too.
    const query = { workspace_id: workspaceId, q: modelId, limit: 1_000 };
    const { data } = await api.call(listModels, { query, signal });
    const endpoints = data.find(({ id }) => id === modelId)?.endpoints ?? [];
    const reason = endpoints.find(({ allowed }) => !allowed)?.reason ?? undefined;
    return { workspaceId, allowed: modelSums({ endpoints }).allowed, all: endpoints.length, reason };
  };
  return createResource((signal) => Promise.all(workspaceIds.value.map((id) => readOne(id, signal))));
}
