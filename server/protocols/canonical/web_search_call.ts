/** A call of a provider's web search, as items of the Responses API tell it. */

import { isRecord } from "../../../shared/util/json.ts";

/** With what it has found, a model opens pages and looks for words in them: these are calls, and no searches. */
const inPages: ReadonlySet<unknown> = new Set(["open_page", "find_in_page", "find"]);

/** Whether a `web_search_call` with this `action` is a search that its provider charges for. */
export const isCharged = (action: unknown): boolean => !(isRecord(action) && inPages.has(action.type));
