/** The file operations with `provider=openai|anthropic`: the same five, at that provider. */

import type { fileApi } from "../../../shared/management/files.ts";
import { DEFAULT_FILE_PAGE_SIZE } from "../../../shared/management/files.ts";
import { ApiError } from "../../../shared/errors.ts";
import type { FileDeletedReply, FileListReply, FileProvider, FileReply } from "../../../shared/files.ts";
import type { FileDownload } from "../../../shared/management/operation.ts";
import { isRecord } from "../../../shared/util/json.ts";
import { cleanFileName } from "../../storage/files/file_name.ts";
import { type OperationInput, pathParameter } from "../core/operation.ts";
import { fileScope } from "./file_scope.ts";
import { MultipartRelay } from "./multipart_relay.ts";
import {
  callProvider,
  type ProviderCall,
  type ProviderClientDeps,
  type ProviderTarget,
  providerTarget,
  readProviderJson,
} from "./provider_client.ts";
import { defaultOrder, filePage, serializeDeletedFile } from "./serialize_file.ts";

type Api = typeof fileApi;
type Of<K extends keyof Api> = OperationInput<Api[K]>;

/** Bytes of a file that is passed on. */
const MAX_BYTES = 512 * 1024 * 1024;
const DEFAULT_PURPOSE = "user_data";

interface Wanted {
  readonly provider: FileProvider;
  readonly verb: string;
  readonly input: Pick<OperationInput, "caller"> & { readonly query: { readonly workspace_id?: string } };
}

export class ProviderFiles {
  readonly #deps: ProviderClientDeps;

  constructor(deps: ProviderClientDeps) {
    this.#deps = deps;
  }

  async upload(provider: FileProvider, input: Of<"files.upload">): Promise<FileReply> {
    const target = await this.#target({ provider, input, verb: "upload file" });
    const relay = new MultipartRelay(this.#deps.runtime.randomToken(24));
    const { headers, body, sent: bodySent } = relay;
    const call = { method: "POST", path: "/files", headers, body, bodySent } as const;
    const sent = callProvider(this.#deps, { target, call });
    // A provider that refuses at once is heard where the file is being read.
    sent.catch((error: unknown) => relay.fail(error));
    try {
      const fields = await input.body.receive(({ filename, content }) =>
        relay.sendFile(cleanFileName(filename), content)
      );
      await relay.end(provider === "openai" ? { purpose: fields.get("purpose") ?? DEFAULT_PURPOSE } : {});
    } catch (error) {
      relay.fail(error);
      throw error;
    }
    return parseFile(provider, await readProviderJson(provider, await sent));
  }

  async list(provider: FileProvider, input: Of<"files.list">): Promise<FileListReply> {
    const target = await this.#target({ provider, input, verb: "list files" });
    const { query: { limit = DEFAULT_FILE_PAGE_SIZE, cursor, after, after_id, page, purpose, order } } =
      input;
    const start = cursor ?? after ?? after_id;
    const query = new URLSearchParams({ limit: String(limit) });
    if (start !== undefined) query.set(provider === "openai" ? "after" : "after_id", start);
    // Anthropic has an order of its own, and no word for another.
    if (provider === "openai") query.set("order", order ?? defaultOrder(provider));
    if (provider === "openai" && purpose !== undefined) query.set("purpose", purpose);
    if (page !== undefined) query.set("page", page);
    const { data, has_more, next_page } = await this.#json(target, {
      method: "GET",
      path: `/files?${query}`,
    });
    const files = Array.isArray(data) ? data.map((one) => parseFile(provider, one)) : [];
    const next = typeof next_page === "string" ? next_page : undefined;
    return filePage({ data: files, hasMore: has_more === true || next !== undefined, shape: provider, next });
  }

  async get(provider: FileProvider, input: Of<"files.get">): Promise<FileReply> {
    const target = await this.#target({ provider, input, verb: "show file" });
    return parseFile(
      provider,
      await this.#json(target, { method: "GET", path: `/files/${fileIdOf(input)}` }),
    );
  }

  async delete(provider: FileProvider, input: Of<"files.delete">): Promise<FileDeletedReply> {
    const target = await this.#target({ provider, input, verb: "delete file" });
    const id = fileIdOf(input);
    await this.#json(target, { method: "DELETE", path: `/files/${id}` });
    return serializeDeletedFile(id, provider);
  }

  async download(provider: FileProvider, input: Of<"files.content">): Promise<FileDownload> {
    const target = await this.#target({ provider, input, verb: "download file" });
    const id = fileIdOf(input);
    const response = await callProvider(this.#deps, {
      target,
      call: { method: "GET", path: `/files/${id}/content`, headers: { "accept-encoding": "identity" } },
    });
    const length = Number(response.headers.get("content-length") ?? NaN);
    const size = response.headers.has("content-encoding") || !(length >= 0) ? undefined : length;
    if (size !== undefined && size > MAX_BYTES) {
      await response.body?.cancel();
      throw tooLarge();
    }
    const content = upTo(MAX_BYTES, response.body ?? new Blob([]).stream());
    return { filename: id, size, open: () => Promise.resolve(content) };
  }

  async #target({ provider, input, verb }: Wanted): Promise<ProviderTarget> {
    const scope = await fileScope(this.#deps.store, { ...input, verb });
    return await providerTarget(this.#deps, { provider, scope });
  }

  async #json(target: ProviderTarget, call: ProviderCall): Promise<Readonly<Record<string, unknown>>> {
    return await readProviderJson(target.provider, await callProvider(this.#deps, { target, call }));
  }
}

const tooLarge = () =>
  new ApiError("upstream_failed", "The file is larger than 512 MiB, the most that is passed on.");

/** Breaks off a stream that is too long. */
function upTo(most: number, content: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
  const reader = content.getReader();
  let size = 0;
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await reader.read();
      if (done) return controller.close();
      size += value.length;
      if (size <= most) return controller.enqueue(value);
      await reader.cancel();
      controller.error(tooLarge());
    },
    cancel: (reason) => reader.cancel(reason),
  }, { highWaterMark: 0 });
}

/** Reads a file id of a provider; text that no provider gives out never becomes a part of an address. */
function fileIdOf(input: Pick<OperationInput, "params">): string {
  const id = pathParameter(input, "file_id");
  if (/^[\w-]{1,200}$/.test(id)) return id;
  throw new ApiError("not_found", "There is no file with this id.");
}

const textOf = (value: unknown): string => typeof value === "string" ? value : "";
const countOf = (value: unknown): number =>
  typeof value === "number" && Number.isSafeInteger(value) ? value : 0;

function parseFile(provider: FileProvider, value: unknown): FileReply {
  if (!isRecord(value) || typeof value.id !== "string") {
    throw new ApiError("upstream_failed", "The provider sent a file without an id.");
  }
  const { id, filename } = value;
  if (provider === "openai") {
    return {
      _shape: "openai",
      id,
      object: "file",
      bytes: countOf(value.bytes),
      created_at: countOf(value.created_at),
      filename: textOf(filename),
      purpose: textOf(value.purpose),
      status: textOf(value.status) || "processed",
    };
  }
  const created = Date.parse(textOf(value.created_at));
  return {
    _shape: "anthropic",
    type: "file",
    id,
    filename: textOf(filename),
    mime_type: textOf(value.mime_type),
    size_bytes: countOf(value.size_bytes),
    created_at: new Date(Number.isNaN(created) ? 0 : created).toISOString(),
    downloadable: value.downloadable === true,
  };
}
