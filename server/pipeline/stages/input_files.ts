/**
 * Files of the gateway in a request: read once, before any plugin sees them, and put in their place as data, which
 * every wire can carry. Ids of providers stay as they are.
 */

import { ApiError } from "../../../shared/errors.ts";
import { FILE_ID_PREFIX, isGatewayFileId } from "../../../shared/files.ts";
import { formatValue } from "../../../shared/validation/validate.ts";
import type { ContentPart, FilePart, ImagePart, Item } from "../../protocols/canonical/item.ts";
import type { ModelRequest } from "../../protocols/canonical/request.ts";
import type { RequestContext, Stage } from "../request_context.ts";

/** A file that a request may use. */
interface InputFile {
  readonly filename: string;
  readonly mimeType: string;
  /** Bytes. */
  readonly size: number;
  readonly read: () => Promise<Uint8Array>;
}

export interface InputFilesDeps {
  /** A file of this workspace, whichever key has made it; undefined where there is none. */
  readonly findInputFile: (workspaceId: string, id: string) => Promise<InputFile | undefined>;
}

/** Bytes of all files of a request. */
const MAX_BYTES = 20 * 1024 * 1024;

export function inputFiles(deps: InputFilesDeps): Stage {
  return (next) => async (context) => {
    if (!context.request.input.some(namesFile)) return await next(context);
    return await next({ ...context, request: await loadInputFiles(deps, context) });
  };
}

type PartWithFile = (ImagePart | FilePart) & { readonly fileId: string };

const isOfGateway = (part: ContentPart): part is PartWithFile =>
  (part.type === "image" || part.type === "file") && part.fileId?.startsWith(FILE_ID_PREFIX) === true;

const noParts: readonly ContentPart[] = [];

function partsOf(item: Item): readonly ContentPart[] {
  if (item.type === "message") return item.parts;
  return item.type === "result" && typeof item.output !== "string" ? item.output : noParts;
}

const namesFile = (item: Item): boolean => partsOf(item).some(isOfGateway);

/**
 * The request with its files as data. Throws an ApiError: 404 for a file that is not there, 400 for an image that is
 * none, 413 where the files are too large together.
 */
export async function loadInputFiles(
  { findInputFile }: InputFilesDeps,
  { request, caller, fileFields }: Pick<RequestContext, "request" | "caller" | "fileFields">,
): Promise<ModelRequest> {
  const named = request.input.flatMap(partsOf).filter(isOfGateway);
  if (named.length === 0) return request;
  const files = new Map<string, LoadedFile>();
  let bytes = 0;
  for (const part of named) {
    const path = fileFields?.get(part.fileId) ?? "file_id";
    const file = files.get(part.fileId)?.file ??
      (isGatewayFileId(part.fileId)
        ? await findInputFile(caller.workspaceId, part.fileId.slice(FILE_ID_PREFIX.length))
        : undefined);
    if (file === undefined) throw noFile(part, path);
    if (part.type === "image" && !isImage(file)) throw noImage(file, path);
    bytes += file.size;
    if (bytes > MAX_BYTES) throw tooLarge(path);
    if (!files.has(part.fileId)) files.set(part.fileId, { file, base64: (await file.read()).toBase64() });
  }
  return { ...request, input: request.input.map((item) => withFiles(item, files)) };
}

interface LoadedFile {
  readonly file: InputFile;
  readonly base64: string;
}

const isImage = ({ mimeType }: InputFile) => mimeType.startsWith("image/");

function noFile({ type, fileId }: PartWithFile, path: string): ApiError {
  return new ApiError("not_found", `${path} is ${formatValue(fileId)}, and there is no such file`, {
    errorType: type === "image" ? "image_not_found" : "not_found",
    metadata: { path },
  });
}

function noImage({ mimeType }: InputFile, path: string): ApiError {
  return new ApiError("invalid_image", `${path} names a file of type ${mimeType}; an image is needed`, {
    errorType: "unsupported_image_format",
    metadata: { path },
  });
}

function tooLarge(path: string): ApiError {
  return new ApiError(
    "too_large",
    `The files of a request may have ${MAX_BYTES / 1024 / 1024} MiB together; with ${path} they have more.`,
    { metadata: { path } },
  );
}

function withFiles(item: Item, files: ReadonlyMap<string, LoadedFile>): Item {
  if (!namesFile(item)) return item;
  const loaded = (part: ContentPart) => isOfGateway(part) ? withContent(part, files.get(part.fileId)) : part;
  if (item.type === "message") return { ...item, parts: item.parts.map(loaded) };
  if (item.type === "result" && typeof item.output !== "string") {
    return { ...item, output: item.output.map(loaded) };
  }
  return item;
}

const audioFormats: ReadonlyMap<string, string> = new Map([
  ["audio/mpeg", "mp3"],
  ["audio/wav", "wav"],
  ["audio/flac", "flac"],
  ["audio/ogg", "ogg"],
]);

/** Images and sounds go as what they are: more models take these than files. */
function withContent(part: PartWithFile, loaded: LoadedFile | undefined): ContentPart {
  if (loaded === undefined) return part;
  const { file: { mimeType, filename }, base64 } = loaded;
  const url = `data:${mimeType};base64,${base64}`;
  const { cache, extra } = part;
  if (part.type === "image") return { ...part, url, fileId: undefined };
  if (mimeType.startsWith("image/")) return { type: "image", url, cache, extra };
  const format = audioFormats.get(mimeType);
  if (format !== undefined) return { type: "audio", data: base64, format, cache, extra };
  return { ...part, data: url, fileId: undefined, filename: part.filename ?? filename, mustBeTaken: true };
}
