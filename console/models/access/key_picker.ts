/** A choice of some API keys: found by what is typed, and named. */

import { computed, signal } from "@preact/signals";
import { type ConsoleApi, operation } from "../../api.ts";
import { createResource } from "../../resource.ts";
import { KeyNames } from "../keys/key_names.ts";

const findKeys = operation<"keys.list">("GET", "/keys");

const FOUND = 6;

interface KeyPickerDeps {
  readonly api: Pick<ConsoleApi, "call">;
  /** The workspace whose keys may be chosen; null for all. */
  readonly workspaceId: string | null;
}

export class KeyPickerModel {
  readonly #deps: KeyPickerDeps;
  readonly typed = signal("");
  /** Names of keys that are chosen. */
  readonly names: KeyNames;
  readonly #search = createResource((abort) =>
    this.#deps.api.call(findKeys, {
      query: {
        q: this.typed.peek().trim() || undefined,
        sort: "created",
        include_disabled: false,
        workspace_id: this.#deps.workspaceId ?? "all",
        limit: FOUND,
      },
      signal: abort,
    })
  );
  readonly found = computed(() => this.#search.data.value?.data);

  constructor(deps: KeyPickerDeps) {
    this.#deps = deps;
    this.names = new KeyNames(deps.api);
  }

  async find(text: string): Promise<void> {
    this.typed.value = text;
    await this.#search.load();
  }

  stop(): void {
    this.#search.stop();
  }
}
