/** Searches the files of the caller's workspace (specification, Tools), or has a provider search its own stores. */

import { ApiError } from "../../../../shared/errors.ts";
import { formatValue } from "../../../../shared/validation/validate.ts";
import type { JsonObject } from "../../../protocols/canonical/item.ts";
import type { HostedTool } from "../../../protocols/canonical/request.ts";
import type { Endpoint } from "../../../providers/endpoint.ts";
import {
  failedCall,
  type ToolDefinition,
  type ToolInput,
  type ToolOutcome,
  type ToolRequest,
} from "../tool_definition.ts";
import { describeNotes, describePassages } from "./describe_passages.ts";
import { attributesOf } from "./file_filters.ts";
import { fileSearchSettings, isOfProvider, settingsIssue } from "./file_search_settings.ts";
import { MAKING_MS } from "./file_searcher.ts";

const MOST_QUERIES = 5;

const parameters = {
  type: "object",
  properties: {
    queries: {
      type: "array",
      items: { type: "string" },
      description: `What to look for, in different words or languages: 1 to ${MOST_QUERIES} queries.`,
    },
  },
  required: ["queries"],
  additionalProperties: false,
} as const;

const DESCRIPTION =
  "Searches the user's files by words and returns passages of them. It knows no synonyms: use words that the files may " +
  "have, and several queries. Where the answer rests on a passage, cite it by its mark, as [F1].";

const NO_PLACE = "It has no place for files: TOLLGATE_BLOBS is off.";
/** Milliseconds of a call: indexes that are not made then are left for the next one. */
const MOST_MS = MAKING_MS + 30_000;

export const fileSearch: ToolDefinition = {
  kind: "file_search",
  hosted: { types: ["file_search"], itemType: "file_search_call" },
  describe: () => ({ description: DESCRIPTION, parameters }),
  checkSettings: ({ settings }) => settingsIssue(settings),
  isHostedAt: (_endpoint, settings) => isOfProvider(settings),
  nativeAt,
  isAvailable: ({ settings, deps: { fileSearcher } }) =>
    fileSearcher !== undefined && !isOfProvider(settings),
  isOfProvider,
  switchOn: NO_PLACE,
  progress: {
    started: ["response.file_search_call.in_progress", "response.file_search_call.searching"],
    completed: ["response.file_search_call.completed"],
  },
  itemFields: (args) => ({ queries: queriesIn(args) }),
  failedStatus: "incomplete",
  hostedFailedStatus: "failed",
  argumentsOf: (item) => queriesIn(item).length === 0 ? undefined : { queries: queriesIn(item) },
  timeMs: () => MOST_MS,
  verify,
  run,
};

/** Only a provider's own stores are searched by the provider. */
function nativeAt({ provider: { wire, builtIn } }: Endpoint, settings: JsonObject): HostedTool | undefined {
  if (wire !== "responses" || builtIn === true || !isOfProvider(settings)) return undefined;
  const kind = "file_search";
  return { type: "hosted", wire, kind, value: { ...settings, type: kind } };
}

const queriesIn = ({ queries }: JsonObject): readonly string[] =>
  Array.isArray(queries) ? queries.filter((query) => typeof query === "string") : [];

async function verify({ settings, session, deps: { fileSearcher }, request }: ToolRequest): Promise<void> {
  const { ids } = fileSearchSettings(settings);
  const unknown = await fileSearcher?.findUnknown(session.workspaceId, ids) ?? -1;
  if (unknown === -1) return;
  const at = request.tools.findIndex((tool) =>
    tool.type === "server" ? tool.parameters === settings : tool.type === "hosted" && tool.value === settings
  );
  const path = `tools[${at}].vector_store_ids[${unknown}]`;
  throw new ApiError("not_found", `${path} is ${formatValue(ids[unknown])}, and there is no such file`, {
    metadata: { path },
  });
}

async function run(input: ToolInput): Promise<ToolOutcome> {
  const { args, session: { workspaceId }, deps: { fileSearcher }, include, memory, signal } = input;
  const queries = queriesIn(args).filter((query) => query.trim() !== "").slice(0, MOST_QUERIES);
  if (queries.length === 0) return failedCall("queries are missing.", { queries });
  if (fileSearcher === undefined) return failedCall(NO_PLACE, { queries });
  const settings = fileSearchSettings(input.settings);
  const result = await fileSearcher.search({ ...settings, workspaceId, queries, signal });
  const notes = describeNotes(result, { queries });
  const { passages, ...counts } = result;
  input.addStage({ type: "plugin", name: "file_search", data: stageData(counts, settings.hasWeights) });
  const shown = passages.map((passage) => ({
    ...passage,
    number: memory.addPassage({ fileId: passage.file.id, filename: passage.file.filename }),
  }));
  const results = shown.map(({ file, text, score }) => ({
    file_id: file.id,
    filename: file.filename,
    score,
    text,
    attributes: attributesOf(file),
  }));
  const isAsked = include.includes("file_search_call.results");
  return {
    output: describePassages(shown, notes),
    fields: { queries, ...(isAsked ? { results } : {}) },
  };
}

type Counts = Omit<Awaited<ReturnType<NonNullable<ToolInput["deps"]["fileSearcher"]>["search"]>>, "passages">;

const stageData = (counts: Counts, hasWeights: boolean) => ({
  searched: counts.searched,
  ...(counts.leftOut === 0 ? {} : { left_out: counts.leftOut }),
  ...(counts.pending === 0 ? {} : { pending: counts.pending }),
  ...(counts.unreadable.length === 0 ? {} : { unreadable: counts.unreadable.length }),
  ...(counts.truncated.length === 0 ? {} : { truncated: counts.truncated.length }),
  ...(counts.missing.length === 0 ? {} : { missing: counts.missing.length }),
  ...(hasWeights ? { without_effect: ["ranking_options.hybrid_search"] } : {}),
});
