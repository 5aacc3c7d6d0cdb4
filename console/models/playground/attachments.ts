/** Files that go along with a message, read in the browser. */

type AttachmentKind = "text" | "image" | "audio" | "file";

export interface Attachment {
  readonly name: string;
  /** MIME type. */
  readonly type: string;
  readonly kind: AttachmentKind;
  /** Bytes. */
  readonly size: number;
  /** The text itself, else its bytes in base64; empty where a reload has dropped them. */
  readonly data: string;
}

/** Bytes of a file that may go along. */
export const MOST_ATTACHMENT_BYTES = 20_000_000;

const images: ReadonlySet<string> = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);
const sounds: ReadonlySet<string> = new Set([
  "audio/mpeg",
  "audio/mp3",
  "audio/wav",
  "audio/x-wav",
  "audio/wave",
]);
const textName = /\.(?:csv|json|jsonl|log|md|toml|ts|tsx|js|py|rs|go|sql|sh|txt|xml|ya?ml)$/i;

function kindOf({ type, name }: Pick<File, "type" | "name">): AttachmentKind {
  if (images.has(type)) return "image";
  if (sounds.has(type)) return "audio";
  return type.startsWith("text/") || textName.test(name) ? "text" : "file";
}

const CHUNK = 0x8000;

/** Bytes in base64. */
function toBase64(bytes: Uint8Array): string {
  const chunks: string[] = [];
  for (let from = 0; from < bytes.length; from += CHUNK) {
    chunks.push(String.fromCharCode(...bytes.subarray(from, from + CHUNK)));
  }
  return btoa(chunks.join(""));
}

export async function readAttachment(file: File): Promise<Attachment> {
  const kind = kindOf(file);
  const data = kind === "text" ? await file.text() : toBase64(new Uint8Array(await file.arrayBuffer()));
  const type = file.type === "" ? "application/octet-stream" : file.type;
  return { name: file.name, type, kind, size: file.size, data };
}
