/** The settings in force and the installation, narrowed by what stands in the address. */

import { computed } from "@preact/signals";
import type { SettingDescription } from "../../../shared/management/gateway/settings.ts";
import { type ConsoleApi, operation } from "../../api.ts";
import { createResource } from "../../resource.ts";
import type { Router } from "../../router.ts";

const getSettings = operation<"settings.get">("GET", "/settings");

/** `set`: by the operator, wherever. */
export const settingSources = ["set", "environment", "file", "default", "any"] as const;
type SettingSource = (typeof settingSources)[number];

interface SettingsDeps {
  readonly api: Pick<ConsoleApi, "call">;
  readonly router: Pick<Router, "query" | "setQuery">;
}

/** Where a value came from, as the filter names it. */
function sourceOf({ source: { type } }: SettingDescription): SettingSource {
  return type === "environment_file" ? "environment" : type;
}

function isFrom(source: SettingSource, wanted: SettingSource): boolean {
  return wanted === "any" || (wanted === "set" ? source !== "default" : source === wanted);
}

export class SettingsModel {
  readonly #router: SettingsDeps["router"];
  readonly installation;

  constructor({ api, router }: SettingsDeps) {
    this.#router = router;
    this.installation = createResource(async (signal) => (await api.call(getSettings, { signal })).data);
  }

  readonly q = computed(() => this.#router.query.value.get("q") ?? "");
  readonly from = computed((): SettingSource =>
    settingSources.find((source) => source === this.#router.query.value.get("from")) ?? "set"
  );
  /** Settings that the search and the filter leave; undefined until they were read. */
  readonly rows = computed(() => {
    const [words, from] = [this.q.value.toLowerCase().split(/\s+/), this.from.value];
    return this.installation.data.value?.settings.filter((setting) => {
      const text = `${setting.name} ${setting.description ?? ""}`.toLowerCase();
      return isFrom(sourceOf(setting), from) && words.every((word) => text.includes(word));
    });
  });

  search(q: string): void {
    this.#router.setQuery({ q });
  }

  showFrom(source: SettingSource): void {
    this.#router.setQuery({ from: source === "set" ? undefined : source });
  }

  removeFilters(): void {
    this.#router.setQuery({ q: undefined, from: "any" });
  }
}
