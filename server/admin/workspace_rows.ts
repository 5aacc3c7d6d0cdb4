/** Workspaces as they are stored, and the index that finds them by slug. */

import * as z from "zod";
import { timestampSchema } from "../../shared/keys.ts";
import { workspaceSlugSchema } from "../../shared/workspaces.ts";
import { Collection } from "../stores/collection.ts";
import type { Store } from "../stores/store.ts";

const workspaceRowSchema = z.object({
  id: z.uuid(),
  name: z.string().min(1).max(100),
  slug: workspaceSlugSchema,
  description: z.string().nullable(),
  created_by: z.string().nullable(),
  created_at: timestampSchema,
  updated_at: timestampSchema.nullable(),
});
export type WorkspaceRow = z.infer<typeof workspaceRowSchema>;

/** Workspaces by id. */
export function workspaceRows(store: Store): Collection<typeof workspaceRowSchema> {
  return new Collection({ store, name: "workspaces", schema: workspaceRowSchema });
}

const slugSchema = z.object({ id: z.uuid() });

/** Workspace ids by slug; written in the commits that write the workspaces. */
export function workspaceSlugs(store: Store): Collection<typeof slugSchema> {
  return new Collection({ store, name: "workspace_slugs", schema: slugSchema });
}
