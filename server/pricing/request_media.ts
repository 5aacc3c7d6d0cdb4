/** What a request holds besides text: images, sound, files and videos, wherever they stand in the conversation. */

import type { Audio, File, Media } from "./media_tokens.ts";
import type { MediaPart } from "./media_estimate.ts";
import type { AudioPart, FilePart, ForeignItem, Item, Json, Part } from "../canonical/item.ts";
import type { ModelRequest } from "../canonical/request.ts";

interface Found {
  images: number;
  readonly audios: Audio[];
  readonly files: File[];
  videos: number;
  readonly payloads: string[];
}

/** Undefined where there is nothing but text. */
export function mediaOf({ input }: Pick<ModelRequest, "input">): Media | undefined {
  if (!input.some(holdsMedia)) return undefined;
  const found: Found = { images: 0, audios: [], files: [], videos: 0, payloads: [] };
  for (const item of input) {
    if (item.type === "foreign") pictured(found, item);
    else for (const part of partsOf(item)) note(found, part);
  }
  return found;
}

const holdsMedia = (item: Item) =>
  item.type === "foreign" ? picturedIn(item).length > 0 : partsOf(item).some(isMedia);
const isMedia = ({ type }: Part) => type !== "text" && type !== "refusal";

const none: readonly Part[] = [];

function partsOf(item: Item): readonly Part[] {
  if (item.type === "message") return item.parts;
  return item.type === "result" && typeof item.output !== "string" ? item.output : none;
}

/** Items of providers' own tools that show a picture: its address, its payload, or undefined for one they keep. */
function picturedIn({ kind, value }: ForeignItem): readonly (string | undefined)[] {
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

function pictured(found: Found, item: ForeignItem): void {
  for (const address of picturedIn(item)) {
    found.images++;
    keep(found, address);
  }
}

/** Piece by piece, with what each of them holds. */
export function mediaPartsOf({ input }: Pick<ModelRequest, "input">): readonly MediaPart[] {
  return input.flatMap((item): readonly MediaPart[] =>
    item.type === "foreign"
      ? picturedIn(item).map((address) => ({ type: "image", base64: payloadOf(address) }))
      : partsOf(item).flatMap(mediaPartOf)
  );
}

function mediaPartOf(part: Part): readonly MediaPart[] {
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
    default:
      return part satisfies never;
  }
}

const listOf = (value: unknown): readonly unknown[] => Array.isArray(value) ? value : [];
const recordOf = (value: unknown): Json => typeof value === "object" && value !== null ? { ...value } : {};

function note(found: Found, part: Part): void {
  switch (part.type) {
    case "text":
    case "refusal":
      return;
    case "image":
      found.images++;
      return keep(found, part.url);
    case "audio":
      found.audios.push(audioOf(part));
      return void found.payloads.push(part.data);
    case "file":
      found.files.push(fileOf(part));
      return keep(found, part.data ?? part.url);
    case "video":
      found.videos++;
      return keep(found, part.url);
    default:
      return part satisfies never;
  }
}

const dataUrl = /^data:([^;,]*)[^,]{0,200},/;

function keep({ payloads }: Found, address: string | undefined): void {
  const payload = payloadOf(address);
  if (payload !== undefined) payloads.push(payload);
}

/** Addresses are text like any other; only what they hold themselves is a payload. */
function payloadOf(address: string | undefined): string | undefined {
  if (address === undefined || /^https?:/i.test(address)) return undefined;
  const payload = address.replace(dataUrl, "");
  return payload.length > 0 ? payload : undefined;
}

function fileOf({ data, url }: FilePart): File {
  const held = data ?? (url?.startsWith("data:") ? url : undefined);
  if (held === undefined) return { bytes: null };
  const [head = "", type] = dataUrl.exec(held) ?? [];
  return { bytes: bytesIn(held.slice(head.length)), type: type === "" ? undefined : type };
}

function audioOf({ data, format }: AudioPart): Audio {
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

/** Of base64, rounded up. */
const bytesIn = (base64: string): number => Math.ceil(base64.length / 4) * 3;
