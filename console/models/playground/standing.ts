/** Rules for a run before it is sent: its key with limit and guardrails, and what would be set aside. */

import { type ReadonlySignal, signal } from "@preact/signals";
import { type ConsoleApi, operation, type OperationResult, queryOf } from "../../api.ts";
import type { Clock } from "../../clock.ts";
import { createResource } from "../../resource.ts";
import type { ExplainedRoute } from "../catalog/route_form.ts";
import type { Json } from "./json.ts";

const getKey = operation<"playground.key">("GET", "/playground/key");

export type PlayKey = OperationResult<"playground.key">["data"];

interface StandingDeps {
  readonly api: Pick<ConsoleApi, "call" | "send">;
  readonly clock: Clock;
  readonly workspaceId: ReadonlySignal<string | undefined>;
  readonly isManager: boolean;
}

/** Typing goes on for so long before it is asked what would become of it. */
const SOON_MS = 600;

export class Standing {
  readonly #deps: StandingDeps;
  readonly key = createResource(async (signal) => {
    const { api, workspaceId: { value: workspace_id } } = this.#deps;
    return (await api.call(getKey, { query: { workspace_id }, signal })).data;
  });
  /** Undefined until it was asked, and where the request is none yet. */
  readonly route = signal<ExplainedRoute | undefined>(undefined);
  #cancel: (() => void) | undefined;
  #asked = 0;

  constructor(deps: StandingDeps) {
    this.#deps = deps;
  }

  /** Asks what would become of a body, which is made once typing rests; undefined: nothing is asked. */
  explainSoon(body: () => Json | undefined): void {
    this.#cancel?.();
    this.#cancel = this.#deps.clock.after(SOON_MS, () => void this.#explain(body()));
  }

  stop(): void {
    this.#cancel?.();
    this.#asked++;
  }

  async #explain(body: Json | undefined): Promise<void> {
    const asked = ++this.#asked;
    if (body === undefined) {
      this.route.value = undefined;
      return;
    }
    try {
      const response = await this.#deps.api.send("POST", `/console/api/route/explain${this.#subject()}`, {
        body,
      });
      const route = toRoute(await response.json());
      if (asked === this.#asked) this.route.value = route;
    } catch (error) {
      // A request that is no request yet has no route; sending it says why.
      console.debug(error);
      if (asked === this.#asked) this.route.value = undefined;
    }
  }

  /** As the key, or as any key of the workspace while it is not made. */
  #subject(): string {
    const { isManager, workspaceId } = this.#deps;
    if (!isManager) return "";
    const hash = this.key.data.value?.hash ?? undefined;
    return queryOf(hash === undefined ? { workspace_id: workspaceId.value } : { api_key_hash: hash });
  }
}

/** The server has rendered it. */
function toRoute(body: unknown): ExplainedRoute {
  return body as ExplainedRoute;
}
