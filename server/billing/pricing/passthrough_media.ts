/** Images and documents inside a part that only its own wire has words for. */

import { isRecord } from "../../../shared/util/json.ts";
import type { FilePart, ImagePart, JsonObject, PassthroughPart } from "../../protocols/canonical/item.ts";

/** As the parts that they would be by themselves. */
export function mediaInside({ value }: PassthroughPart): readonly (ImagePart | FilePart)[] {
  const found: (ImagePart | FilePart)[] = [];
  const open: unknown[] = [value];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (Array.isArray(next)) open.push(...next);
    if (!isRecord(next)) continue;
    const media = mediaOf(next);
    if (media !== undefined) found.push(media);
    open.push(...Object.values(next).filter((one) => typeof one === "object"));
  }
  return found;
}

/** An object whose `source` is data, an address or a file. Documents are read as files, all else as images. */
function mediaOf({ type, source }: JsonObject): ImagePart | FilePart | undefined {
  if (!isRecord(source)) return undefined;
  const { data, media_type: mediaType, url, file_id: fileId } = source;
  const inside = source.type === "base64" && typeof data === "string"
    ? `data:${String(mediaType)};base64,${data}`
    : undefined;
  const address = inside ?? (typeof url === "string" ? url : undefined);
  if (address === undefined && typeof fileId !== "string") return undefined;
  if (type === "document" || mediaType === "application/pdf") {
    return inside === undefined ? { type: "file", url: address } : { type: "file", data: inside };
  }
  return { type: "image", url: address };
}
