/** Looks at the images and files of a request: kind, size, and what they cost in tokens. Nothing is fetched. */

import { Buffer } from "node:buffer";
import { invalidRequest, type WireError } from "../wire_error.ts";
import type { SimulatorPart } from "./parse_request.ts";

/** Something that came with the text, in words. */
export interface AttachmentInfo {
  readonly type: "image" | "file" | "audio" | "video";
  readonly description: string;
  readonly tokens: number;
}

/** The most that one image can cost; `remote` ones cost {@link BASE_TOKENS}. */
const MAX_IMAGE_TOKENS = 85 + 170 * 8;
const BASE_TOKENS = 85;
const TILE_TOKENS = 170;
/** Where an image's size is looked for: JPEG files may carry a preview first. */
const HEAD_BYTES = 1_048_575;
const BYTES_A_TOKEN = 4;

const kinds = { png: "PNG", jpg: "JPEG", gif: "GIF", webp: "WebP" } as const;

/** Describes a part besides text; undefined for text. `param` names it in errors. */
export async function inspectPart(part: SimulatorPart, param: string): Promise<AttachmentInfo | undefined> {
  if (part.type === "input_image") return await lookAtImage(part, param);
  if (part.type === "input_file") return lookAtFile(part, param);
  if (part.type === "input_audio") return lookAtAudio(part, param);
  if (part.type === "input_video") {
    return { type: "video", description: "a video, which I do not fetch", tokens: BASE_TOKENS };
  }
  return undefined;
}

async function lookAtImage(part: SimulatorPart, param: string): Promise<AttachmentInfo> {
  const at = `${param}.image_url`;
  const url = part.image_url ?? "";
  if (url === "" && part.file_id) {
    return {
      type: "image",
      description: `an uploaded image (${part.file_id}), which I do not fetch`,
      tokens: BASE_TOKENS,
    };
  }
  if (/^https?:\/\//i.test(url)) {
    return { type: "image", description: `an image at ${url}, which I do not fetch`, tokens: BASE_TOKENS };
  }
  if (!url.startsWith("data:")) {
    throw invalidRequest(
      "Invalid image URL: it is neither a data URL nor an HTTP one.",
      "invalid_image_url",
      { param: at },
    );
  }
  const { base64 } = dataUrl(url);
  if (base64 === undefined || !isBase64(base64)) {
    throw imageError("invalid_base64_image", "is not valid base64", { param: at });
  }
  const size = await measure(base64, at);
  const bytes = byteLength(base64).toLocaleString("en-US");
  return {
    type: "image",
    description: `a ${kinds[size.kind]} image of ${size.width}×${size.height} pixels (${bytes} bytes)`,
    tokens: part.detail === "low" ? BASE_TOKENS : tokensOf(size),
  };
}

interface Size {
  readonly kind: keyof typeof kinds;
  readonly width: number;
  readonly height: number;
}

async function measure(base64: string, param: string): Promise<Size> {
  const head = Buffer.from(base64.slice(0, HEAD_BYTES / 3 * 4), "base64");
  if (head.length === 0) throw imageError("empty_image_file", "is empty", { param });
  const kind = kindOf(head);
  if (kind === undefined) {
    throw imageError("invalid_image_format", "is of none of the kinds 'png', 'jpeg', 'gif', 'webp'", {
      param,
    });
  }
  const { imageSize } = await import("image-size");
  try {
    const { width, height } = imageSize(head);
    if (width > 0 && height > 0) return { kind, width, height };
  } catch (cause) {
    throw imageError("image_parse_error", `cannot be read (${String(cause).slice(0, 80)})`, { param });
  }
  throw imageError("image_parse_error", "has no size", { param });
}

function imageError(code: string, why: string, where: { readonly param: string }): WireError {
  return invalidRequest(`Invalid image: the image data ${why}.`, code, where);
}

/** By the first bytes only: what a data URL calls itself is not asked. */
function kindOf(head: Uint8Array): Size["kind"] | undefined {
  const text = Buffer.from(head.subarray(0, 16)).toString("latin1");
  if (text.startsWith("\x89PNG\r\n\x1a\n")) return "png";
  if (text.startsWith("\xff\xd8\xff")) return "jpg";
  if (/^GIF8[79]a/.test(text)) return "gif";
  return /^RIFF.{4}WEBPVP8/s.test(text) ? "webp" : undefined;
}

/** 85, and 170 for each tile of 512 pixels after fitting into 2048×2048 and then to a short side of 768. */
function tokensOf({ width, height }: Size): number {
  const fit = Math.min(1, 2048 / Math.max(width, height));
  const scale = fit * Math.min(1, 768 / (Math.min(width, height) * fit));
  const tiles = Math.ceil(width * scale / 512) * Math.ceil(height * scale / 512);
  return Math.min(MAX_IMAGE_TOKENS, BASE_TOKENS + TILE_TOKENS * tiles);
}

function lookAtFile(part: SimulatorPart, param: string): AttachmentInfo {
  const name = part.filename ?? "without a name";
  if (!part.file_data) {
    const where = part.file_url ?? part.file_id ?? "nowhere";
    return { type: "file", description: `the file ${name} at ${where}, which I do not fetch`, tokens: 0 };
  }
  const { base64 = part.file_data, media } = dataUrl(part.file_data);
  if (!isBase64(base64)) {
    throw invalidRequest("Invalid file data: it is not valid base64.", "invalid_value", {
      param: `${param}.file_data`,
    });
  }
  const bytes = byteLength(base64);
  const isPdf = Buffer.from(base64.slice(0, 8), "base64").toString("latin1").startsWith("%PDF");
  const kind = isPdf ? "PDF, " : media === "" ? "" : `${media}, `;
  const description = `the file ${name} (${kind}${bytes.toLocaleString("en-US")} bytes)`;
  return { type: "file", description, tokens: Math.ceil(bytes / BYTES_A_TOKEN) };
}

function lookAtAudio(part: SimulatorPart, param: string): AttachmentInfo {
  const { data = "", format = "audio" } = part.input_audio ?? {};
  if (!isBase64(data)) {
    throw invalidRequest("Invalid audio data: it is not valid base64.", "invalid_value", {
      param: `${param}.input_audio.data`,
    });
  }
  const bytes = byteLength(data);
  const description = `a ${format} recording (${bytes.toLocaleString("en-US")} bytes)`;
  return { type: "audio", description, tokens: Math.ceil(bytes / BYTES_A_TOKEN / 100) };
}

/** The payload of a base64 data URL; none when the text is something else. */
function dataUrl(url: string): { readonly base64?: string; readonly media: string } {
  const comma = url.indexOf(",");
  const head = url.slice(0, Math.max(0, comma));
  if (!head.startsWith("data:") || !head.endsWith(";base64")) return { media: "" };
  return { base64: url.slice(comma + 1), media: head.slice(5, -7).split(";")[0] ?? "" };
}

function isBase64(text: string): boolean {
  return text.length % 4 !== 1 && /^[A-Za-z0-9+/_-]*={0,2}\s*$/.test(text);
}

function byteLength(base64: string): number {
  return Math.floor(base64.replace(/[=\s]+$/, "").length * 3 / 4);
}
