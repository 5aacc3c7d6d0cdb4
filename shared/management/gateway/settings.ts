/** The configuration in force, and the installation's store, as managers see them; the store's backup. */

import * as z from "zod";
import type { ManagementOperation } from "../operation.ts";

const settingSchema = z.object({
  /** Name of the variable, or the place in the configuration file, such as `providers[0].base_url`. */
  name: z.string(),
  group: z.enum(["environment", "providers", "file"]),
  description: z.string().nullable(),
  /** Nothing of its value is told but whether there is one. */
  secret: z.boolean(),
  /** `set` or `not set` of a secret; null where it is not set. */
  value: z.union([z.string(), z.number(), z.boolean()]).nullable(),
  /** The value where it is not set, in words; null where there is none, or `value` has it. */
  default: z.string().nullable(),
  source: z.object({
    /** `environment_file`: the file that `NAME_FILE` names. `file`: the configuration file. */
    type: z.enum(["environment", "environment_file", "file", "default"]),
    /** The variable, or the configuration file's path; null for a default. */
    name: z.string().nullable(),
  }),
});
/** A setting as it is in force, without any secret. */
export type SettingDescription = z.infer<typeof settingSchema>;

const storeKinds = ["embedded", "postgres", "assigned"] as const;
export type StoreKind = (typeof storeKinds)[number];

const installationSchema = z.object({
  settings: z.array(settingSchema),
  store: z.object({
    /** `assigned`: the platform's own (Deno Deploy). */
    kind: z.enum(storeKinds),
    /** The file, or the database without its user; null where the platform knows. */
    address: z.string().nullable(),
    /** Version of its records' schema; null for a store that bears none. */
    schema: z.int().nullable(),
  }),
  data_folder: z.object({
    path: z.string(),
    /** Bytes of all files in it; null where they cannot be counted, or are too many. */
    bytes: z.number().nullable(),
    /** Bytes that its disk has left; null where the process may not ask. */
    free_bytes: z.number().nullable(),
  }).nullable(),
});

export const settingApi = {
  "settings.get": {
    method: "GET",
    path: "/settings",
    who: ["management"],
    errors: "other",
    summary:
      "Shows the configuration in force without its secrets, where each value came from, and the store.",
    verb: "show settings",
    output: z.object({ data: installationSchema }),
  },
  "backup.get": {
    method: "GET",
    path: "/backup",
    who: ["management"],
    tellsAll: true,
    errors: "other",
    summary:
      "Downloads a backup of the embedded store; `confirm` is the name of the management key that asks.",
    verb: "back up",
    query: z.object({ confirm: z.string().max(1_000).optional() }),
    output: "bytes",
  },
} as const satisfies Record<string, ManagementOperation>;
