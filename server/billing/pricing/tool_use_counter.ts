/** Counts the uses of a provider's own tools in an answer, by its items: no usage counts all of them. */

import { ownValue } from "../../../shared/util/own_value.ts";
import type { Usage } from "../../protocols/canonical/usage.ts";
import { isCharged } from "../../protocols/canonical/web_search_call.ts";
import { requestedContainerSize } from "./hosted_tools.ts";
import type { JsonObject, PassthroughItem } from "../../protocols/canonical/item.ts";
import type { ModelRequest } from "../../protocols/canonical/request.ts";

export class ToolUseCounter {
  #webSearches = 0;
  #fileSearches = 0;
  /** By name; a program that ran nowhere in particular ran in one of its own. */
  readonly #containers = new Set<string>();

  /** An item that is whole. */
  add({ kind, value }: PassthroughItem): void {
    switch (kind) {
      case "web_search_call":
        // Anthropic's fetches look like searches that open a page.
        if (isCharged(value.action)) this.#webSearches++;
        return;
      case "file_search_call":
        this.#fileSearches++;
        return;
      case "code_interpreter_call":
        this.#containers.add(wordOf(value.container_id));
        return;
      case "shell_call": {
        // Without a container it is the client's shell.
        const container = fieldOf(value.environment, "container_id");
        if (container !== undefined) this.#containers.add(wordOf(container));
      }
    }
  }

  /** The same counts with those that the provider left out. Its own count of searches stands. */
  addTo(usage: Usage, { tools }: Pick<ModelRequest, "tools">): Usage {
    const searched = usage.estimated
      ? Math.max(usage.webSearches ?? 0, this.#webSearches)
      : usage.webSearches;
    return {
      ...usage,
      ...(searched ? { webSearches: searched } : {}),
      ...(this.#fileSearches > 0 ? { fileSearches: this.#fileSearches } : {}),
      ...(this.#containers.size > 0
        ? { codeContainers: this.#containers.size * requestedContainerSize(tools) }
        : {}),
    };
  }
}

const wordOf = (value: unknown): string => typeof value === "string" ? value : "";

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? ownValue(toJson(value), name) : undefined;
}

/** An object, whatever is in it. */
const toJson = (value: object): JsonObject => ({ ...value });
