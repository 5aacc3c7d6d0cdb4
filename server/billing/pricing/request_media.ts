/** Finds the media of a request: images, audio, files and videos, wherever they stand in the conversation. */

import type { AudioMedia, FileMedia, RequestMedia } from "./media_tokens.ts";
import type { MediaPart } from "./media_estimate.ts";
import { mediaInside } from "./passthrough_media.ts";
import { splitDataUrl } from "../../protocols/canonical/data_url.ts";
import type {
  AudioPart,
  ContentPart,
  FilePart,
  Item,
  JsonObject,
  PassthroughItem,
} from "../../protocols/canonical/item.ts";
import type { ModelRequest } from "../../protocols/canonical/request.ts";

interface MediaCollection {
  images: number;
  readonly audios: AudioMedia[];
  readonly files: FileMedia[];
  videos: number;
  readonly payloads: string[];
}

/** Undefined where there is nothing but text. */
export function collectMedia({ input }: Pick<ModelRequest, "input">): RequestMedia | undefined {
  if (!input.some(holdsMedia)) return undefined;
  const found: MediaCollection = { images: 0, audios: [], files: [], videos: 0, payloads: [] };
  for (const item of input) {
    if (item.type === "foreign") addImagePayload(found, item);
    else for (const part of partsOf(item)) addPart(found, part);
  }
  return found;
}

const holdsMedia = (item: Item) =>
  item.type === "foreign" ? collectImages(item).length > 0 : partsOf(item).some(isMedia);

function isMedia(part: ContentPart): boolean {
  if (part.type === "foreign") return mediaInside(part).length > 0;
  return part.type !== "text" && part.type !== "refusal";
}

const none: readonly ContentPart[] = [];

function partsOf(item: Item): readonly ContentPart[] {
  if (item.type === "message") return item.parts;
  return item.type === "result" && typeof item.output !== "string" ? item.output : none;
}

/** Items of providers' own tools that show an image: its address, its payload, or undefined for one they keep. */
function collectImages({ kind, value }: PassthroughItem): readonly (string | undefined)[] {
  switch (kind) {
    case "computer_call_output": {
      const { image_url: url, file_id: id } = recordOf(value.output);
      return typeof url === "string" ? [url] : typeof id === "string" ? [undefined] : [];
    }
    case "image_generation_call":
      return typeof value.result === "string" ? [value.result] : [];
    case "code_interpreter_call":
      return listOf(value.outputs).map(recordOf).flatMap(({ type, url }) =>
        type === "image" ? [typeof url === "string" ? url : undefined] : []
      );
    default:
      return [];
  }
}

function addImagePayload(found: MediaCollection, item: PassthroughItem): void {
  for (const address of collectImages(item)) {
    found.images++;
    addPayload(found, address);
  }
}

/** Piece by chunk, with what each of them holds. */
export function mediaPartsOf({ input }: Pick<ModelRequest, "input">): readonly MediaPart[] {
  return input.flatMap((item): readonly MediaPart[] =>
    item.type === "foreign"
      ? collectImages(item).map((address) => ({ type: "image", base64: payloadOf(address) }))
      : partsOf(item).flatMap(mediaPartOf)
  );
}

/** The files of a request that came with it, in base64. */
export const documentsOf = (request: Pick<ModelRequest, "input">): readonly string[] =>
  mediaPartsOf(request).flatMap((part) =>
    part.type === "file" && part.base64 !== undefined ? [part.base64] : []
  );

function mediaPartOf(part: ContentPart): readonly MediaPart[] {
  switch (part.type) {
    case "text":
    case "refusal":
      return [];
    case "image":
      return [{ type: "image", base64: payloadOf(part.url), detail: part.detail }];
    case "audio":
      return [{ type: "audio", audio: audioOf(part) }];
    case "file":
      return [{ type: "file", base64: payloadOf(part.data ?? part.url), mimeType: fileOf(part).type }];
    case "video":
      return [{ type: "video", base64: payloadOf(part.url) }];
    case "foreign":
      return mediaInside(part).flatMap(mediaPartOf);
    default:
      return part satisfies never;
  }
}

const listOf = (value: unknown): readonly unknown[] => Array.isArray(value) ? value : [];
const recordOf = (value: unknown): JsonObject =>
  typeof value === "object" && value !== null ? { ...value } : {};

function addPart(found: MediaCollection, part: ContentPart): void {
  switch (part.type) {
    case "text":
    case "refusal":
      return;
    case "image":
      found.images++;
      return addPayload(found, part.url);
    case "audio":
      found.audios.push(audioOf(part));
      return void found.payloads.push(part.data);
    case "file":
      found.files.push(fileOf(part));
      return addPayload(found, part.data ?? part.url);
    case "video":
      found.videos++;
      return addPayload(found, part.url);
    case "foreign":
      return mediaInside(part).forEach((one) => addPart(found, one));
    default:
      return part satisfies never;
  }
}

function addPayload({ payloads }: MediaCollection, address: string | undefined): void {
  const payload = payloadOf(address);
  if (payload !== undefined) payloads.push(payload);
}

/** Addresses are text like any other; only what they hold themselves is a payload. */
function payloadOf(address: string | undefined): string | undefined {
  if (address === undefined || /^https?:/i.test(address)) return undefined;
  const payload = splitDataUrl(address)?.data ?? address;
  return payload.length > 0 ? payload : undefined;
}

function fileOf({ data, url }: FilePart): FileMedia {
  const held = data ?? (url?.startsWith("data:") ? url : undefined);
  if (held === undefined) return { bytes: null };
  const found = splitDataUrl(held);
  return { bytes: bytesIn(found?.data ?? held), type: found?.mediaType || undefined };
}

function audioOf({ data, format }: AudioPart): AudioMedia {
  const bytes = bytesIn(data);
  const rate = format.toLowerCase() === "wav" ? wavRate(data) : undefined;
  return rate === undefined ? { bytes, format } : { bytes, format, seconds: Math.ceil(bytes / rate) };
}

const PLAIN_SAMPLES = 1;

/** Bytes a second of a WAV file of plain samples, as its head says; undefined for any other. */
function wavRate(base64: string): number | undefined {
  const head = /^[A-Za-z0-9+/]{44}/.exec(base64)?.[0];
  if (head === undefined) return undefined;
  const bytes = Uint8Array.from(atob(head), (char) => char.charCodeAt(0));
  const view = new DataView(bytes.buffer);
  const isWav = view.getUint32(0) === 0x52494646 && view.getUint32(12) === 0x666d7420;
  if (!isWav || view.getUint16(20, true) !== PLAIN_SAMPLES) return undefined;
  return view.getUint32(28, true) || undefined;
}

/** Number of bytes in a base64 text, rounded up. */
const bytesIn = (base64: string): number => Math.ceil(base64.length / 4) * 3;
