/** The beginning of a text, or a small image or sound, of a file that may be downloaded. Nothing of it ever runs. */

import { type ConsoleApi, operation } from "../api.ts";
import { createResource } from "../resource.ts";
import { type ConsoleFileRecord, contentAddress } from "./files.ts";

const readFileText = operation<"files.text">("GET", "/files/:file_id/text");

/** Bytes of a text that are read. */
const TEXT_BYTES = 64 * 1024;
/** Larger images and sounds are not loaded for a preview. */
export const MEDIA_BYTES = 20_000_000;
const MOST_LINES = 500;

/** Types that a browser shows without running anything. SVG is none of them: it is shown as text. */
const images: ReadonlySet<string> = new Set([
  "image/png",
  "image/jpeg",
  "image/gif",
  "image/webp",
  "image/avif",
]);
const sounds: ReadonlySet<string> = new Set([
  "audio/mpeg",
  "audio/wav",
  "audio/x-wav",
  "audio/ogg",
  "audio/flac",
  "audio/mp4",
  "audio/aac",
]);
const texts: ReadonlySet<string> = new Set([
  "application/json",
  "application/xml",
  "application/javascript",
  "application/x-ndjson",
  "application/yaml",
  "image/svg+xml",
]);

type PreviewKind = "text" | "document" | "image" | "sound" | "none" | "too_large";

export function previewKind(
  { mime_type, size_bytes }: Pick<ConsoleFileRecord, "mime_type" | "size_bytes">,
): PreviewKind {
  const type = mime_type.split(";")[0]?.trim().toLowerCase() ?? "";
  if (type.startsWith("text/") || texts.has(type)) return "text";
  if (type === "application/pdf") return "document";
  const kind = images.has(type) ? "image" : sounds.has(type) ? "sound" : "none";
  return kind !== "none" && size_bytes > MEDIA_BYTES ? "too_large" : kind;
}

interface TextPreview {
  readonly kind: "text";
  readonly lines: readonly string[];
  /** The file goes on behind these lines. */
  readonly more: boolean;
}

/** `url` names bytes in this page's memory, until it is released. */
interface ImagePreview {
  readonly kind: "image";
  readonly url: string;
}

interface SoundPreview {
  readonly kind: "sound";
  readonly url: string;
}

export type Preview = TextPreview | ImagePreview | SoundPreview;

interface PreviewInput {
  readonly api: Pick<ConsoleApi, "call" | "send">;
  readonly file: Pick<ConsoleFileRecord, "id" | "workspace_id" | "mime_type" | "size_bytes">;
}

async function readText({ api, file }: PreviewInput, signal: AbortSignal): Promise<TextPreview> {
  const isWhole = file.size_bytes <= TEXT_BYTES;
  const headers: Record<string, string> = isWhole ? {} : { range: `bytes=0-${TEXT_BYTES - 1}` };
  const response = await api.send("GET", contentAddress(file), { headers, signal });
  const lines = new TextDecoder().decode(await response.arrayBuffer()).split(/\r\n|\n|\r/);
  // The last line of a part is cut off anywhere.
  const whole = isWhole ? lines : lines.slice(0, -1);
  const shown = whole.at(-1) === "" ? whole.slice(0, -1) : whole;
  return { kind: "text", lines: shown.slice(0, MOST_LINES), more: !isWhole || shown.length > MOST_LINES };
}

/** The gateway turns it into text. */
async function readDocument(
  { api, file }: PreviewInput,
  signal: AbortSignal,
): Promise<TextPreview> {
  const input = { params: { file_id: file.id }, query: { workspace_id: file.workspace_id }, signal };
  const { data: { text, truncated } } = await api.call(readFileText, input);
  const lines = text.split("\n");
  return { kind: "text", lines: lines.slice(0, MOST_LINES), more: truncated || lines.length > MOST_LINES };
}

async function readMedia(input: PreviewInput, signal: AbortSignal): Promise<Preview> {
  const { api, file } = input;
  const response = await api.send("GET", contentAddress(file), { signal });
  const blob = new Blob([await response.arrayBuffer()], { type: file.mime_type });
  return { kind: previewKind(file) === "image" ? "image" : "sound", url: URL.createObjectURL(blob) };
}

export function filePreview(input: PreviewInput) {
  const kind = previewKind(input.file);
  const read = kind === "text" ? readText : kind === "document" ? readDocument : readMedia;
  return createResource<Preview>((signal) => read(input, signal));
}

/** Frees the bytes of a preview that is not shown any more. */
export function releasePreview(preview: Preview | undefined): void {
  if (preview !== undefined && preview.kind !== "text") URL.revokeObjectURL(preview.url);
}
