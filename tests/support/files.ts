/** Files of the gateway, as clients upload them and as server tools make them. */

import { workspaceCheck } from "../../server/management/files/file_scope.ts";
import { fileCollection, type FileRow } from "../../server/storage/files/file_rows.ts";
import { asObject, type Json } from "./event_stream.ts";
import type { Gateway } from "./gateway.ts";

type Bytes = Uint8Array<ArrayBuffer>;

export const utf8 = (text: string): Bytes => new TextEncoder().encode(text);

/** A PNG image of 1×1 pixels. */
export const png = Uint8Array.fromBase64(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
);

export interface Upload {
  readonly bytes?: Bytes;
  readonly name?: string;
  readonly token?: string;
  readonly query?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly fields?: Readonly<Record<string, string>>;
}

export interface UploadAnswer {
  readonly status: number;
  readonly body: Json;
}

/** Uploads a small text by default, with the first API key. */
export async function upload(
  gateway: Pick<Gateway, "url" | "apiKey">,
  { bytes = utf8("hello\n"), name = "hello.txt", token = gateway.apiKey, query = "", headers, fields }:
    Upload = {},
): Promise<UploadAnswer> {
  const form = new FormData();
  for (const [field, value] of Object.entries(fields ?? {})) form.set(field, value);
  form.set("file", new File([bytes], name));
  const response = await fetch(`${gateway.url}/v1/files${query}`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, ...headers },
    body: form,
  });
  return { status: response.status, body: asObject(await response.json()) };
}

/** A call below `/v1/files`. */
export function fileCall(
  { url }: Pick<Gateway, "url">,
  { path, token, method = "GET", headers = {} }: {
    readonly path: string;
    readonly token: string;
    readonly method?: string;
    readonly headers?: Readonly<Record<string, string>>;
  },
): Promise<Response> {
  return fetch(`${url}/v1/files${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, ...headers },
  });
}

export interface MadeFile {
  readonly workspaceId: string;
  readonly filename?: string;
  readonly bytes?: Bytes;
}

/** A file as a server tool makes it; any type is allowed. */
export async function makeFile(
  { files, store }: Pick<Gateway, "files" | "store">,
  { workspaceId, filename = "made.bin", bytes = utf8("made by the server") }: MadeFile,
): Promise<FileRow> {
  const content = async function* () {
    yield await Promise.resolve(bytes);
  };
  const written = await files.writeContent(workspaceId, content(), { anyType: true });
  return await files.commit(written, {
    keyId: null,
    filename,
    origin: "tool",
    workspaceCheck: () => workspaceCheck(store, workspaceId),
  });
}

/** Every file record of a store. */
export async function fileRows({ store }: Pick<Gateway, "store">): Promise<readonly FileRow[]> {
  return (await fileCollection(store).list({ limit: 1_000 })).map(({ record }) => record);
}
