/** Every management operation and the function that does it. */

import type { api } from "../../shared/api.ts";
import type { Acts } from "./act.ts";
import type { AdminDeps } from "./deps.ts";
import { keyActs } from "./keys.ts";
import { workspaceActs } from "./workspaces.ts";

export type Operations = Acts<typeof api>;

export function operationsOf(deps: AdminDeps): Operations {
  return { ...keyActs(deps), ...workspaceActs(deps) };
}
