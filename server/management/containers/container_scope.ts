/** Which containers a caller reaches: an API key those of its workspace, a management key any. */

import { ApiError } from "../../../shared/errors.ts";
import { formatValue } from "../../../shared/validation/validate.ts";
import { decodeFileId, isContainerId } from "../../sandbox/containers/container_ids.ts";
import { noContainer } from "../../sandbox/containers/container_service.ts";
import type { ContainerKey } from "../../sandbox/containers/container_store.ts";
import { isFile, type ListedEntry } from "../../sandbox/containers/file_list.ts";
import { type OperationInput, pathParameter } from "../core/operation.ts";
import type { ManagementDeps } from "../core/management_deps.ts";

type ContainerDeps = Pick<ManagementDeps, "containers">;
type Input = Pick<OperationInput, "caller" | "params">;

/** Throws an ApiError: 400 for what is no id, 404 for what is not there and what is not theirs. */
export async function requireContainer({ containers }: ContainerDeps, input: Input): Promise<ContainerKey> {
  const id = requireContainerId(input);
  const { caller } = input;
  const workspaceId = await containers.store.workspaceOf(id);
  if (workspaceId === undefined || (caller.kind === "api" && caller.workspaceId !== workspaceId)) {
    throw noContainer();
  }
  return { workspaceId, id };
}

function requireContainerId(input: Input): string {
  const id = pathParameter(input, "container_id");
  if (!isContainerId(id)) throw malformed("container_id", id);
  return id;
}

export interface FoundFile {
  readonly container: ContainerKey;
  readonly file: Extract<ListedEntry, { type: "file" }>;
}

/** As above; the id of a file is looked at before anything is looked up. */
export async function requireContainerFile(deps: ContainerDeps, input: Input): Promise<FoundFile> {
  const id = pathParameter(input, "file_id");
  const path = decodeFileId(id);
  requireContainerId(input);
  if (path === undefined) throw malformed("file_id", id);
  const container = await requireContainer(deps, input);
  const file = (await deps.containers.store.load(container))?.files.get(path);
  if (!isFile(file)) throw new ApiError("not_found", "There is no file with this id in this container.");
  return { container, file };
}

const forms = {
  container_id: "1 to 40 letters, digits, hyphens and underscores",
  file_id: "cfile_ and the path in base64url",
} as const;

const malformed = (name: keyof typeof forms, value: string): ApiError =>
  new ApiError("invalid_request", `${name} is ${formatValue(value)}: allowed is ${forms[name]}`, {
    metadata: { path: name },
  });
