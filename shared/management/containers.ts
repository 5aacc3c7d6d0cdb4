/** The operations on containers and their files (specification, Download container file content). */

import * as z from "zod";
import {
  containerDeletedSchema,
  containerFileListSchema,
  containerFileSchema,
  containerListSchema,
} from "../containers.ts";
import { fileSchema } from "../files.ts";
import type { ManagementOperation } from "./operation.ts";

export const DEFAULT_CONTAINER_PAGE_SIZE = 100;

/** Empty texts count as absent. */
const optional = <S extends z.ZodType>(schema: S) =>
  z.union([z.literal("").transform(() => undefined), schema]).optional();

const limit = optional(z.coerce.number().pipe(z.int().min(1).max(1_000)));
const after = optional(z.string().max(2_048));
const onlyAscending = optional(
  z.string().refine((order) => order === "asc", { error: "is not asc: these are listed in one order only" }),
);
const both = { who: ["api", "management"], errors: "containers" } as const;

export const containerApi = {
  "containers.list": {
    ...both,
    method: "GET",
    path: "/containers",
    summary: "Lists the containers of a workspace, by id.",
    verb: "list containers",
    query: z.object({ workspace_id: optional(z.string().max(100)), limit, after, order: onlyAscending }),
    output: containerListSchema,
  },
  "containers.delete": {
    ...both,
    method: "DELETE",
    path: "/containers/:container_id",
    summary: "Ends a container and deletes it with its files.",
    verb: "delete container",
    output: containerDeletedSchema,
  },
  "containers.files.list": {
    ...both,
    method: "GET",
    path: "/containers/:container_id/files",
    summary: "Lists the files of a container, by path.",
    verb: "list container files",
    query: z.object({ limit, after, order: onlyAscending }),
    output: containerFileListSchema,
  },
  "containers.files.get": {
    ...both,
    method: "GET",
    path: "/containers/:container_id/files/:file_id",
    summary: "Shows one file of a container.",
    verb: "show container file",
    output: containerFileSchema,
  },
  "containers.files.delete": {
    ...both,
    method: "DELETE",
    path: "/containers/:container_id/files/:file_id",
    summary: "Deletes one file of a container.",
    verb: "delete container file",
    output: containerDeletedSchema,
  },
  "containers.files.promote": {
    ...both,
    errors: "promote_file",
    method: "POST",
    path: "/containers/:container_id/files/:file_id/promote",
    summary:
      "Copies a file of a container to the files of its workspace, where it stays and can be downloaded.",
    verb: "promote container file",
    output: fileSchema,
  },
  "containers.files.content": {
    who: ["management"],
    errors: "download_container_file",
    method: "GET",
    path: "/containers/:container_id/files/:file_id/content",
    summary: "Downloads a file of a container.",
    verb: "download container file",
    output: "bytes",
  },
} as const satisfies Record<string, ManagementOperation>;
