/** Requirements of a request's files: that an endpoint's wire carries their type, or knows their id. */

import type { ContentPart, FilePart, WireId } from "../../../protocols/canonical/item.ts";
import { mediaTypeByName, toDataUrl } from "../../../protocols/common/outbound/data_url.ts";
import type { Endpoint } from "../../../providers/endpoint.ts";

/** Wires by the beginning of the ids that their providers give to files. */
const wiresById: readonly (readonly [RegExp, readonly WireId[]])[] = [
  [/^file-/, ["responses", "chat"]],
  [/^file_/, ["messages"]],
  [/^(?:files\/|https?:\/\/|gs:\/\/)/, ["gemini"]],
];

/** Ids of other forms may be those of any provider that takes ids. */
const withIds: readonly WireId[] = ["responses", "chat", "messages", "gemini"];

const text = /^(?:text\/|application\/(?:json|x-ndjson)$)/;
const office = "application/vnd.openxmlformats-officedocument.";

/** Documents that a wire carries, besides those that are text. */
const documentsByWire: { readonly [wire in WireId]: readonly string[] } = {
  responses: [
    "application/pdf",
    `${office}wordprocessingml.document`,
    `${office}spreadsheetml.sheet`,
    `${office}presentationml.presentation`,
  ],
  chat: [
    "application/pdf",
    `${office}wordprocessingml.document`,
    `${office}spreadsheetml.sheet`,
    `${office}presentationml.presentation`,
  ],
  messages: ["application/pdf"],
  gemini: ["application/pdf"],
  bedrock: ["application/pdf", `${office}wordprocessingml.document`, `${office}spreadsheetml.sheet`],
};

/** Why a wire cannot carry one of the parts; undefined where it can carry all. */
export function missingFileSupport(parts: readonly ContentPart[], wire: WireId): string | undefined {
  for (const part of parts) {
    if (part.type !== "image" && part.type !== "file") continue;
    if (part.fileId !== undefined && !wiresOf(part.fileId).includes(wire)) {
      return "cannot read the file id of another provider";
    }
    if (part.type !== "file" || part.mustBeTaken !== true) continue;
    const [, type = ""] = /^data:([^;,]*)/.exec(part.data ?? "") ?? [];
    if (!text.test(type) && !documentsByWire[wire].includes(type)) return `takes no files of type ${type}`;
  }
  return undefined;
}

const wiresOf = (id: string): readonly WireId[] => wiresById.find(([form]) => form.test(id))?.[1] ?? withIds;

const media = /^data:(?:image|audio|video)\//;

/** Whether a part is a file with a text that could be read: not a picture, a sound, or what only a provider has. */
export const isDocument = (part: ContentPart): part is FilePart =>
  part.type === "file" && part.fileId === undefined &&
  (part.data !== undefined ? !media.test(part.data) : part.url !== undefined);

/** Wires whose providers fetch files by their address. */
const fetching: ReadonlySet<WireId> = new Set(["responses", "messages", "gemini"]);

/** Whether an endpoint's model is known to read files, and its wire carries this one. */
export function takesDocument({ isAssumed, model, provider: { wire } }: Endpoint, part: FilePart): boolean {
  if (isAssumed === true || !model.inputModalities.includes("file")) return false;
  const { data, url = "", filename } = part;
  if (data === undefined && !fetching.has(wire)) return false;
  const type = data === undefined
    ? mediaTypeByName(URL.parse(url)?.pathname ?? "") ?? ""
    : /^data:([^;,]*)/.exec(toDataUrl(data, filename))?.[1]?.toLowerCase() ?? "";
  return text.test(type) || documentsByWire[wire].includes(type);
}
