/** Containers and their files as clients see them. */

import * as z from "zod";
import type { ContainerFileReply, ContainerReply } from "../../../shared/containers.ts";
import { encodeFileId } from "../../sandbox/containers/container_ids.ts";
import type { ContainerRow } from "../../sandbox/containers/container_rows.ts";
import type { ListedEntry } from "../../sandbox/containers/file_list.ts";

interface ContainerFacts {
  readonly sleeps: boolean;
  /** Milliseconds after its last use that it is deleted. */
  readonly keepMs: number;
}

export function serializeContainer(row: ContainerRow, { sleeps, keepMs }: ContainerFacts): ContainerReply {
  const { id, workspace_id, files, bytes, network, created_at, last_used_at, last_command: last } = row;
  return {
    id,
    object: "container",
    workspace_id,
    status: sleeps ? "sleeping" : "running",
    files,
    bytes,
    network_policy: network.type === "disabled"
      ? network
      : { type: "allowlist", allowed_domains: [...network.domains] },
    created_at,
    last_used_at,
    last_command: last === undefined
      ? null
      : { ...last, command: z.string().parse(JSON.parse(last.command)) },
    expires_at: new Date(Date.parse(last_used_at) + keepMs).toISOString(),
  };
}

/** Throws for a file that has no id. */
export function serializeContainerFile(
  { path, size, modifiedAt }: Extract<ListedEntry, { type: "file" }>,
  containerId: string,
): ContainerFileReply {
  const id = encodeFileId(path);
  if (id === undefined) throw new Error("Cannot serialize file: its path has no id");
  return {
    id,
    object: "container.file",
    container_id: containerId,
    path,
    bytes: size,
    created_at: Math.floor(modifiedAt / 1_000),
    source: "assistant",
  };
}
