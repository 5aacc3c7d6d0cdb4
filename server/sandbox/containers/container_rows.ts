/** Containers as they are stored: a record with what is known of each, and one with the list of its files. */

import * as z from "zod";
import { timestampSchema } from "../../../shared/keys.ts";
import { Collection } from "../../storage/stores/collection.ts";
import type { Runtime } from "../../runtime.ts";
import type { Store } from "../../storage/stores/store.ts";

const networkSchema = z.discriminatedUnion("type", [
  z.object({ type: z.literal("disabled") }),
  z.object({ type: z.literal("allowlist"), domains: z.array(z.string()) }),
]);

const lastCommandSchema = z.object({
  language: z.enum(["bash", "python"]),
  /** Its beginning and its end, as a JSON text: stores take no NUL and no halves of characters. */
  command: z.string(),
  status: z.enum(["exit", "timeout", "failed"]),
  /** Null where it was ended from outside. */
  exit_code: z.int().nullable(),
  started_at: timestampSchema,
  seconds: z.number().nonnegative(),
});

const containerRowSchema = z.object({
  id: z.string(),
  workspace_id: z.uuid(),
  network: networkSchema,
  /** Seconds without a command after which it sleeps. */
  sleep_after: z.int().positive(),
  files: z.int().nonnegative(),
  /** Bytes of its files. */
  bytes: z.int().nonnegative(),
  created_at: timestampSchema,
  last_used_at: timestampSchema,
  /** The command that ran last in it, without its output. */
  last_command: lastCommandSchema.optional(),
});
export type ContainerRow = z.infer<typeof containerRowSchema>;

/** By workspace and id. */
export function containerCollection(store: Store): Collection<typeof containerRowSchema> {
  return new Collection({ store, name: "containers", schema: containerRowSchema });
}

/** A path as a JSON text: stores take no NUL and no halves of characters. */
const pathSchema = z.string();
const mode = z.int().min(0).max(0o7777);

const storedEntrySchema = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("file"),
    path: pathSchema,
    mode,
    modified_at: z.number(),
    size: z.int().nonnegative(),
    sha256: z.string(),
    /** Id of its content; null for an empty file. */
    blob: z.string().nullable(),
  }),
  z.object({ type: z.literal("folder"), path: pathSchema, mode, modified_at: z.number() }),
  z.object({ type: z.literal("link"), path: pathSchema, target: pathSchema }),
]);

const filesRowSchema = z.object({
  /** Changes with the files. */
  version: z.string(),
  entries: z.array(storedEntrySchema),
  /** Ids of the workspace's files that were put into it: each is put there once. */
  attached: z.array(z.string()).optional(),
  /** State that the next command begins with, as JSON texts too. */
  working_folder: pathSchema,
  environment: z.array(z.tuple([z.string(), z.string()])),
  has_interpreter: z.boolean().optional(),
});
export type FilesRow = z.infer<typeof filesRowSchema>;
export type FileEntry = FilesRow["entries"][number];

/** The files of a container, by workspace and id: one record, so that a crash leaves those before or those after. */
export function containerFiles(store: Store): Collection<typeof filesRowSchema> {
  return new Collection({ store, name: "container_files", schema: filesRowSchema });
}

const placeSchema = z.object({ workspace_id: z.uuid() });

/** The workspace of each container, by its id: management keys name no workspace. */
export function containersById(store: Store): Collection<typeof placeSchema> {
  return new Collection({ store, name: "containers_by_id", schema: placeSchema });
}

const sessionSchema = z.object({ container_id: z.string() });

/** The container in which a session goes on since it was restarted, by workspace and the id that was first. */
export function containerSessions(store: Store): Collection<typeof sessionSchema> {
  return new Collection({ store, name: "container_sessions", schema: sessionSchema });
}

const leaseSchema = z.object({
  /** Id of the instance that works in it. */
  holder: z.string(),
  /** Time of the last renewal, in ms since the epoch; 0 while nothing runs in it. */
  renewed_at: z.int(),
  /** Since when nothing runs in it and its holder keeps its process; absent while something runs. */
  kept_at: z.int().optional(),
  /** Address at which other instances call its holder; absent where they cannot. */
  url: z.string().optional(),
});
export type LeaseRow = z.infer<typeof leaseSchema>;

/** Containers in which an instance works, or whose process it keeps, by workspace and id. */
export function containerLeases(store: Store): Collection<typeof leaseSchema> {
  return new Collection({ store, name: "container_leases", schema: leaseSchema });
}

const secretSchema = z.object({ secret: z.string().min(40) });

const SECRET_BYTES = 32;

/** The random text with which ids are made: made at the first start, and found again at later ones. */
export async function findContainerSecret(
  store: Store,
  { randomToken }: Pick<Runtime, "randomToken">,
): Promise<string> {
  const rows = new Collection({ store, name: "meta", schema: secretSchema });
  await rows.create(["container_ids"], { secret: randomToken(SECRET_BYTES) });
  const found = await rows.get("container_ids");
  if (found === undefined) throw new Error("The store lost the secret of container ids");
  return found.record.secret;
}
