/** The page of destinations: all of them, narrowed by workspace and type. */

import { computed, type ReadonlySignal } from "@preact/signals";
import { destinationTypes, type ShownDestination } from "../../../shared/observability/records.ts";
import { type ConsoleApi, operation } from "../../api.ts";
import type { Router } from "../../router.ts";
import { destinationsText } from "../../text/gateway/destinations.ts";
import { ShortList } from "../access/short_list.ts";

const listDestinations = operation<"destinations.list">("GET", "/observability/destinations");

interface DestinationsDeps {
  readonly api: Pick<ConsoleApi, "call">;
  readonly router: Pick<Router, "query" | "setQuery">;
  /** The workspace that the switcher chose; undefined for all. */
  readonly workspaceId: ReadonlySignal<string | undefined>;
}

/** Where it sends to, as far as that is shown. */
export function destinationPlace({ config }: Pick<ShownDestination, "config">): string {
  const { url, endpoint, bucketName } = config;
  return [bucketName ?? url ?? endpoint].filter((place) => typeof place === "string").join("");
}

/** How it stands, as sign and word. */
export function destinationState({ enabled, regions, delivery }: ShownDestination) {
  const { states } = destinationsText;
  if (!enabled) return { tone: "off", text: states.disabled } as const;
  if (!regions.includes("global")) return { tone: "warn", text: states.nothing } as const;
  if (delivery.failing_since !== null) return { tone: "bad", text: states.failing } as const;
  return { tone: "good", text: states.on } as const;
}

export class DestinationsModel extends ShortList<ShownDestination> {
  readonly #router: DestinationsDeps["router"];

  constructor({ api, router, workspaceId }: DestinationsDeps) {
    super({
      router,
      read: (query, signal) => api.call(listDestinations, { query, signal }),
      idOf: ({ id }) => id,
      textOf: (record) => `${record.name} ${destinationPlace(record)}`,
      isShown: ({ workspace_id: own, type }) => {
        const [of, chosen] = [workspaceId.value, this.type.value];
        return (of === undefined || own === of) && (chosen === undefined || type === chosen);
      },
    });
    this.#router = router;
  }

  readonly type = computed(() => destinationTypes.find((one) => one === this.query("type")));

  showType(type: string | undefined): void {
    this.#router.setQuery({ type });
  }

  showAll(): void {
    this.#router.setQuery({ q: undefined, type: undefined, workspace: undefined });
  }
}
