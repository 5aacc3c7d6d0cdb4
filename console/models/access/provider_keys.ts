/** The page of workspaces' provider keys: all of them, narrowed by workspace and provider. */

import { computed, type ReadonlySignal } from "@preact/signals";
import type { ByokRecord } from "../../../shared/byok.ts";
import { type ConsoleApi, operation } from "../../api.ts";
import type { Router } from "../../router.ts";
import { providerKeysText } from "../../text/access/provider_keys.ts";
import { ShortList } from "./short_list.ts";

const listKeys = operation<"byok.list">("GET", "/byok");

interface ProviderKeysDeps {
  readonly api: Pick<ConsoleApi, "call">;
  readonly router: Pick<Router, "query" | "setQuery">;
  /** The workspace that the switcher chose; undefined for all. */
  readonly workspaceId: ReadonlySignal<string | undefined>;
}

/** Its name, else what is known of the key itself. */
export const providerKeyName = ({ name, label }: Pick<ByokRecord, "name" | "label">): string => name ?? label;

/** When it is used, in words. */
export function providerKeyUse({ is_fallback, is_required, is_byok_only }: ByokRecord): string {
  const { use } = providerKeysText;
  if (is_byok_only) return use.only;
  if (is_required) return use.required;
  return is_fallback ? use.fallback : use.before;
}

export class ProviderKeysModel extends ShortList<ByokRecord> {
  readonly #router: ProviderKeysDeps["router"];

  constructor({ api, router, workspaceId }: ProviderKeysDeps) {
    super({
      router,
      read: (query, signal) => api.call(listKeys, { query, signal }),
      idOf: ({ id }) => id,
      textOf: ({ name, label, provider }) => `${name ?? ""} ${label} ${provider}`,
      isShown: ({ workspace_id: own, provider }) => {
        const [of, chosen] = [workspaceId.value, router.query.value.get("provider")];
        return (of === undefined || own === null || own === of) &&
          (chosen === undefined || chosen === provider);
      },
    });
    this.#router = router;
  }

  readonly provider = computed(() => this.query("provider"));
  /** Providers that have one, by name. */
  readonly providers = computed(() =>
    [...new Set((this.list.data.value ?? []).map(({ provider }) => provider))].toSorted()
  );

  showProvider(provider: string | undefined): void {
    this.#router.setQuery({ provider });
  }

  showAll(): void {
    this.#router.setQuery({ q: undefined, provider: undefined, workspace: undefined });
  }
}
