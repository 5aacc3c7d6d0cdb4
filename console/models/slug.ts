/** A slug made of a name: `Document intake` → `document-intake`. */

import { workspaceSlugSchema } from "../../shared/workspaces.ts";
import { workspacePanelText } from "../text/workspaces.ts";
import { fieldProblem } from "./field_problem.ts";

/** Characters that a slug may have at most. */
const MOST = 50;

export function slugOf(name: string): string {
  const words = name.normalize("NFKD").toLowerCase().split(/[^a-z0-9]+/).filter(Boolean);
  return words.join("-").slice(0, MOST).replace(/-+$/, "");
}

/** Problem of a slug as it is typed. */
export function slugProblem(slug: string): string | undefined {
  return fieldProblem(workspaceSlugSchema, slug.trim(), { format: workspacePanelText.slugHint });
}
