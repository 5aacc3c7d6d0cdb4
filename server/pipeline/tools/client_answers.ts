/** Items of a provider's own tools that the client has to answer before the model can go on. */

import type { OutputItem } from "../../protocols/canonical/item.ts";
import { isClientSearch } from "./tool_search/client_tool_search.ts";

const answeredByClient: ReadonlySet<string> = new Set([
  "apply_patch_call",
  "computer_call",
  "local_shell_call",
  "mcp_approval_request",
  "shell_call",
]);

/** Whether the client has to answer an item: a provider that ran the call itself has put the result beside it. */
export function waitsForAnswer(item: OutputItem, items: readonly OutputItem[]): boolean {
  if (item.type !== "foreign") return false;
  const { kind, value } = item;
  if (kind === "tool_search_call") return isClientSearch(value);
  if (!answeredByClient.has(kind)) return false;
  return !items.some((one) =>
    one.type === "foreign" && one.kind === `${kind}_output` && one.value.call_id === value.call_id
  );
}
