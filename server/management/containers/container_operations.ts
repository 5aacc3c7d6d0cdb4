/** Operations on containers (specification, Download container file content). */

import type { containerApi } from "../../../shared/management/containers.ts";
import { DEFAULT_CONTAINER_PAGE_SIZE } from "../../../shared/management/containers.ts";
import { ApiError } from "../../../shared/errors.ts";
import type { FileDownload } from "../../../shared/management/operation.ts";
import { decodeFileId, encodeFileId } from "../../sandbox/containers/container_ids.ts";
import { listableFiles } from "../../sandbox/containers/file_list.ts";
import { openStored } from "../../sandbox/containers/stored_content.ts";
import { publicFileId } from "../../storage/files/file_rows.ts";
import type { StorePut } from "../../storage/stores/store.ts";
import type { ManagementDeps } from "../core/management_deps.ts";
import type { OperationHandlers, OperationInput } from "../core/operation.ts";
import { auditCaller } from "../core/write.ts";
import { fileScope, workspaceCheck } from "../files/file_scope.ts";
import { fileShapeOf, serializeFile } from "../files/serialize_file.ts";
import { type FoundFile, requireContainer, requireContainerFile } from "./container_scope.ts";
import { serializeContainer, serializeContainerFile } from "./serialize_container.ts";

type Api = typeof containerApi;
type Of<K extends keyof Api> = OperationInput<Api[K]>;

type ContainerOperationDeps = Pick<ManagementDeps, "store" | "audit" | "files" | "containers">;

export function containerOperations(deps: ContainerOperationDeps): OperationHandlers<Api> {
  return {
    "containers.list": (input) => list(deps, input),
    "containers.delete": (input) => remove(deps, input),
    "containers.files.list": (input) => listFiles(deps, input),
    "containers.files.get": async (input) => {
      const { container, file } = await requireContainerFile(deps, input);
      return serializeContainerFile(file, container.id);
    },
    "containers.files.delete": (input) => removeFile(deps, input),
    "containers.files.promote": (input) => promote(deps, input),
    "containers.files.content": async (input) => download(deps, await requireContainerFile(deps, input)),
  };
}

async function list({ store, containers }: ContainerOperationDeps, input: Of<"containers.list">) {
  const { limit = DEFAULT_CONTAINER_PAGE_SIZE, after = "" } = input.query;
  const { workspaceId } = await fileScope(store, { ...input, verb: "list containers" });
  const rows = (await containers.store.list(workspaceId)).filter(({ id }) => id > after);
  return pageOf(
    rows.slice(0, limit).map((row) =>
      serializeContainer(row, { sleeps: containers.sleeps(row), keepMs: containers.keepMs })
    ),
    rows.length > limit,
  );
}

async function remove(deps: ContainerOperationDeps, input: Of<"containers.delete">) {
  const container = await requireContainer(deps, input);
  await deps.containers.removal.remove(container);
  await writeAudit(deps, { input, operation: "containers.delete", id: container.id });
  return { id: container.id, object: "container.deleted", deleted: true } as const;
}

async function listFiles({ containers }: ContainerOperationDeps, input: Of<"containers.files.list">) {
  const { limit = DEFAULT_CONTAINER_PAGE_SIZE, after } = input.query;
  const container = await requireContainer({ containers }, input);
  const behind = after === undefined ? "" : decodeFileId(after);
  if (behind === undefined) {
    throw new ApiError(
      "invalid_request",
      "after is no id of a container file: that of the last one is needed",
      {
        metadata: { path: "after" },
      },
    );
  }
  const state = await containers.store.load(container);
  const files = state === undefined ? [] : listableFiles(state.files).filter(({ path }) => path > behind);
  return pageOf(
    files.slice(0, limit).map((file) => serializeContainerFile(file, container.id)),
    files.length > limit,
  );
}

function pageOf<T extends { readonly id: string }>(data: T[], has_more: boolean) {
  const [first_id, last_id] = [data.at(0)?.id ?? null, data.at(-1)?.id ?? null];
  return { object: "list" as const, data, first_id, last_id, has_more };
}

async function removeFile(deps: ContainerOperationDeps, input: Of<"containers.files.delete">) {
  const { container, file } = await requireContainerFile(deps, input);
  await deps.containers.removeFile(container, file.path);
  const id = encodeFileId(file.path) ?? "";
  await writeAudit(deps, { input, operation: "containers.files.delete", id });
  return { id, object: "container.file.deleted", deleted: true } as const;
}

/** A file that has bytes becomes one of the workspace's. */
async function promote(deps: ContainerOperationDeps, input: Of<"containers.files.promote">) {
  const { store, files } = deps;
  const found = await requireContainerFile(deps, input);
  const { container: { workspaceId }, file } = found;
  const check = () => workspaceCheck(store, workspaceId);
  const { keyId = null } = input.caller.kind === "api"
    ? await fileScope(store, { caller: input.caller, query: {}, verb: "promote container file" })
    : {};
  await files.prepare(workspaceId, check);
  const content = await openStored(files, { workspaceId, file });
  const written = await files.writeContent(workspaceId, content, { anyType: true });
  const row = await files.commit(written, {
    keyId,
    filename: file.path.split("/").at(-1) ?? "file",
    origin: "container",
    workspaceCheck: check,
    puts: (made) => auditPuts(deps, { input, operation: "containers.files.promote", id: publicFileId(made) }),
  });
  return serializeFile(row, fileShapeOf({ query: {}, header: input.header }));
}

function download(deps: ContainerOperationDeps, found: FoundFile): FileDownload {
  const { container: { workspaceId }, file: { path, size, sha256 } } = found;
  return {
    filename: path.split("/").at(-1) ?? "file",
    size,
    sha256,
    open: (range) => openStored(deps.files, { workspaceId, file: found.file, range }),
  };
}

interface AuditedChange {
  readonly input: Pick<OperationInput, "caller" | "requestId">;
  readonly operation: string;
  readonly id: string;
}

/** Makes the audit rows of management keys; what API keys do is no change of the installation. */
function auditPuts(
  { audit }: ContainerOperationDeps,
  { input, operation, id }: AuditedChange,
): readonly StorePut[] {
  if (input.caller.kind !== "management") return [];
  const type = operation === "containers.delete" ? "container" : "file";
  return [audit.put({ ...auditCaller(input), operation, subject: { type, id }, before: null, after: null })];
}

async function writeAudit(deps: ContainerOperationDeps, change: AuditedChange): Promise<void> {
  const puts = auditPuts(deps, change);
  if (puts.length > 0) await deps.store.commit({ puts: [...puts] });
}
