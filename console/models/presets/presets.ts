/** The page of presets: all of them, narrowed by workspace and state. */

import { computed, type ReadonlySignal } from "@preact/signals";
import { type PresetRecord, presetStatuses } from "../../../shared/presets/records.ts";
import { type ConsoleApi, operation } from "../../api.ts";
import type { Router } from "../../router.ts";
import { ShortList } from "../access/short_list.ts";

const listPresets = operation<"presets.list">("GET", "/presets");

interface PresetsDeps {
  readonly api: Pick<ConsoleApi, "call">;
  readonly router: Pick<Router, "query" | "setQuery">;
  /** The workspace that the switcher chose; undefined for all. */
  readonly workspaceId: ReadonlySignal<string | undefined>;
}

export class PresetsModel extends ShortList<PresetRecord> {
  readonly #router: PresetsDeps["router"];

  constructor({ api, router, workspaceId }: PresetsDeps) {
    super({
      router,
      read: (query, signal) => api.call(listPresets, { query, signal }),
      idOf: ({ id }) => id,
      textOf: ({ name, slug, description }) => `${name} ${slug} ${description ?? ""}`,
      isShown: ({ workspace_id: own, status }) => {
        const [of, chosen] = [workspaceId.value, this.status.value];
        return (of === undefined || own === of) && (chosen === undefined || status === chosen);
      },
    });
    this.#router = router;
  }

  readonly status = computed(() => presetStatuses.find((one) => one === this.query("status")));

  showStatus(status: string | undefined): void {
    this.#router.setQuery({ status });
  }

  showAll(): void {
    this.#router.setQuery({ q: undefined, status: undefined, workspace: undefined });
  }
}
