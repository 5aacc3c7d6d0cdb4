/** Bodies of requests as they are typed, from which a preset is saved. */

import { type PresetApi, presetApis } from "../../../shared/presets/places.ts";
import { type PresetRecord, presetSlugSchema, type PresetVersion } from "../../../shared/presets/records.ts";
import { isRecord } from "../../../shared/util/json.ts";
import {
  ApiFailure,
  type ConsoleApi,
  operation,
  type OperationBody,
  type OperationResult,
} from "../../api.ts";
import { presetFields } from "../../text/presets.ts";
import { fieldProblem } from "../field_problem.ts";

const saveChat = operation<"presets.save.chat">("POST", "/presets/:slug/chat/completions");
const saveResponse = operation<"presets.save.responses">("POST", "/presets/:slug/responses");
const saveMessage = operation<"presets.save.messages">("POST", "/presets/:slug/messages");

export type SavedPreset = OperationResult<"presets.save.chat">["data"];

/** Fields of the form as they are typed. */
export interface PresetDraft {
  readonly slug: string;
  readonly workspaceId: string;
  readonly api: PresetApi;
  /** JSON. */
  readonly body: string;
}

export const toPresetApi = (text: string): PresetApi => presetApis.find((one) => one === text) ?? "chat";

type Fields = Readonly<Record<string, unknown>>;

/** The object that a text stands for, or why it stands for none. */
export function readBody(text: string): { readonly body: Fields } | { readonly problem: string } {
  if (text.trim() === "") return { problem: presetFields.bodyMissing };
  try {
    const body: unknown = JSON.parse(text);
    return isRecord(body) ? { body } : { problem: presetFields.noObject };
  } catch (error) {
    return { problem: presetFields.noJson(error instanceof Error ? error.message : String(error)) };
  }
}

/** The body that saves a version once more. */
export function bodyOf(
  { config, system_prompt: text }: Pick<PresetVersion, "config" | "system_prompt">,
): Fields {
  return text === null ? config : { ...config, messages: [{ role: "system", content: text }] };
}

export const encodeBody = (version: Pick<PresetVersion, "config" | "system_prompt">): string =>
  JSON.stringify(bodyOf(version), null, 2);

type DraftProblems = { readonly [N in "slug" | "body"]?: string | undefined };

/** Problems that need no gateway; `known` are the presets that are there already. */
export function draftProblems(
  { slug, workspaceId, body }: PresetDraft,
  known: readonly Pick<PresetRecord, "slug" | "workspace_id">[],
): DraftProblems {
  const name = slug.trim();
  const isTaken = known.some((one) => one.slug === name && one.workspace_id === workspaceId);
  const read = readBody(body);
  return {
    slug: isTaken
      ? presetFields.taken(name)
      : fieldProblem(presetSlugSchema, name, { format: presetFields.slugHint }),
    body: "problem" in read ? read.problem : undefined,
  };
}

/** The field that a refusal is about: that of its path, else the body; none where it is about neither. */
export function refusedAt(error: Error | undefined): keyof DraftProblems | undefined {
  if (!(error instanceof ApiFailure) || error.status !== 400) return undefined;
  if (error.metadata.path === "workspace_id") return undefined;
  return error.metadata.path === "slug" ? "slug" : "body";
}

/** A body that the gateway checks. */
const toBody = <Id extends "presets.save.chat" | "presets.save.responses" | "presets.save.messages">(
  fields: Fields,
) => fields as OperationBody<Id>;

interface SaveInput {
  readonly slug: string;
  readonly workspaceId: string;
  readonly api: PresetApi;
  readonly body: Fields;
}

/** Saves a preset or a new version of one. Throws what the gateway refuses. */
export async function savePreset(
  api: Pick<ConsoleApi, "call">,
  { slug, workspaceId, api: from, body }: SaveInput,
): Promise<SavedPreset> {
  const input = { params: { slug }, query: { workspace_id: workspaceId } };
  switch (from) {
    case "chat":
      return (await api.call(saveChat, { ...input, body: toBody<"presets.save.chat">(body) })).data;
    case "responses":
      return (await api.call(saveResponse, { ...input, body: toBody<"presets.save.responses">(body) })).data;
    case "messages":
      return (await api.call(saveMessage, { ...input, body: toBody<"presets.save.messages">(body) })).data;
    default:
      return from satisfies never;
  }
}
