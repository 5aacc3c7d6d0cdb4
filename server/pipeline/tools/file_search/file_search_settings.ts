/** Settings of the tool `file_search` as a client sends them, and what is wrong with them. */

import { isRecord } from "../../../../shared/util/json.ts";
import type { JsonObject } from "../../../protocols/canonical/item.ts";
import { type FileFilter, type FilterIssue, isIssue, parseFilter } from "./file_filters.ts";

/** Names all files of the caller's workspace. */
export const WORKSPACE = "workspace";

const DEFAULT_RESULTS = 10;
const MOST_RESULTS = 50;
const MOST_IDS = 100;

/** Forms of ids that stores of providers have. */
const OF_PROVIDER = /^(?:vs|collection)_/;

interface FileSearchSettings {
  readonly ids: readonly string[];
  readonly filter: FileFilter | undefined;
  readonly maxResults: number;
  /** From 0 to 1. */
  readonly threshold: number;
  /** The client weighs a search by meaning, which there is none of. */
  readonly hasWeights: boolean;
}

function idsIn({ vector_store_ids: ids }: JsonObject): readonly string[] {
  return Array.isArray(ids) ? ids.filter((id) => typeof id === "string") : [];
}

/** All of its stores are a provider's own: there is nothing here to search. */
export const isOfProvider = (settings: JsonObject): boolean => {
  const ids = idsIn(settings);
  return ids.length > 0 && ids.every((id) => OF_PROVIDER.test(id));
};

/** Settings without an issue. */
export function fileSearchSettings(settings: JsonObject): FileSearchSettings {
  const { max_num_results: most, ranking_options: ranking, filters } = settings;
  const filter = filters === undefined || filters === null ? undefined : parseFilter(filters);
  const options = isRecord(ranking) ? ranking : {};
  return {
    ids: idsIn(settings),
    filter: filter === undefined || isIssue(filter) ? undefined : filter,
    maxResults: typeof most === "number" ? most : DEFAULT_RESULTS,
    threshold: typeof options.score_threshold === "number" ? options.score_threshold : 0,
    hasWeights: isRecord(options.hybrid_search),
  };
}

/** Finds what cannot be used of settings that name files of this gateway. */
export function settingsIssue(settings: JsonObject): FilterIssue | undefined {
  if (isOfProvider(settings)) return undefined;
  return idsIssue(settings) ?? resultsIssue(settings) ?? rankingIssue(settings) ?? filterIssue(settings);
}

function idsIssue({ vector_store_ids: ids }: JsonObject): FilterIssue | undefined {
  const field = "vector_store_ids";
  if (!Array.isArray(ids) || ids.length === 0) {
    return { field, message: `is missing: "${WORKSPACE}", or ids of files` };
  }
  const odd = ids.findIndex((id) => typeof id !== "string");
  if (odd !== -1) return { field: `${field}[${odd}]`, message: "is no text" };
  return ids.length > MOST_IDS
    ? { field, message: `has ${ids.length} ids; at most ${MOST_IDS} may be named` }
    : undefined;
}

function resultsIssue({ max_num_results: most }: JsonObject): FilterIssue | undefined {
  if (
    most === undefined || most === null ||
    (Number.isInteger(most) && Number(most) >= 1 && Number(most) <= MOST_RESULTS)
  ) {
    return undefined;
  }
  return { field: "max_num_results", message: `has to be a whole number from 1 to ${MOST_RESULTS}` };
}

function rankingIssue({ ranking_options: ranking }: JsonObject): FilterIssue | undefined {
  if (ranking === undefined || ranking === null) return undefined;
  if (!isRecord(ranking)) return { field: "ranking_options", message: "is no object" };
  const { score_threshold: threshold } = ranking;
  if (threshold === undefined || threshold === null || isShare(threshold)) return undefined;
  return { field: "ranking_options.score_threshold", message: "has to be a number from 0 to 1" };
}

const isShare = (value: unknown): boolean => typeof value === "number" && value >= 0 && value <= 1;

function filterIssue({ filters }: JsonObject): FilterIssue | undefined {
  if (filters === undefined || filters === null) return undefined;
  const parsed = parseFilter(filters);
  return isIssue(parsed) ? parsed : undefined;
}
