/** Tools that a request may choose among: its own, and the one that a slug of its models brings. */

import { namesFusion } from "../../../../shared/fields/fusion.ts";
import type { Tool } from "../../canonical/request.ts";

interface NamedModels {
  readonly model?: string | null;
  readonly models?: readonly string[] | null;
  readonly plugins?: readonly { readonly id: string }[] | null;
}

const fusion: Tool = { type: "server", kind: "fusion", originalType: "openrouter:fusion", parameters: {} };

/** A plugin of fusion stands for its slug where no model is named. */
export function choosableTools(
  { model, models, plugins }: NamedModels,
  tools: readonly Tool[],
): readonly Tool[] {
  const names = [...(model ? [model] : []), ...models ?? []];
  const isBrought = names.length === 0
    ? plugins?.some(({ id }) => id === "fusion") === true
    : names.some(namesFusion);
  return isBrought ? [...tools, fusion] : tools;
}
