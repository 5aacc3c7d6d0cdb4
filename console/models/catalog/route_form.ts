/** The form that has a route explained: a request in few fields, or its whole body, and as whom it would be sent. */

import { type ReadonlySignal, signal } from "@preact/signals";
import { type ConsoleApi, operation, queryOf } from "../../api.ts";
import { routeText } from "../../text/route.ts";

const listKeys = operation<"keys.list">("GET", "/keys");

/** An endpoint of a model that was asked for. */
export interface RouteEndpoint {
  readonly model: string;
  readonly provider: string;
  /** The filter that took it out; null for one that may be asked. */
  readonly excluded_by: string | null;
  readonly detail?: string;
  /** From 1, among those that may be asked now. */
  readonly position: number | null;
  /** Probability of being called first, 0–1. */
  readonly probability: number;
  /** USD a million tokens. */
  readonly price: { readonly prompt: number; readonly completion: number } | null;
  /** Median milliseconds to the beginning. */
  readonly latency: number | null;
}

interface RouteRefusal {
  readonly status: number;
  readonly message: string;
}

/** A limit that holds; USD. */
export interface RouteLimit {
  readonly source: string;
  readonly name: string;
  readonly period: string;
  readonly limit_usd: number;
  readonly spend_usd: number;
  readonly reserved_usd: number;
}

export interface ExplainedRoute {
  /** The order is what would happen, not only what is likely. */
  readonly exact: boolean;
  readonly candidates: readonly RouteEndpoint[];
  readonly refusal: RouteRefusal | null;
  readonly reservation: {
    readonly reserved_usd: number;
    readonly output_cap: number | null;
    readonly limits: readonly RouteLimit[];
    readonly refusal: RouteRefusal | null;
  } | null;
}

export const routeModes = ["form", "body"] as const;
type RouteMode = (typeof routeModes)[number];

const EXAMPLE = JSON.stringify({ model: "", input: "Hello", max_output_tokens: 256 }, null, 2);

interface RouteFormDeps {
  readonly api: Pick<ConsoleApi, "call" | "send">;
  /** Any key of it, where no key is named. */
  readonly workspaceId: ReadonlySignal<string | undefined>;
}

export class RouteForm {
  readonly #deps: RouteFormDeps;
  readonly mode = signal<RouteMode>("form");
  readonly model = signal("");
  readonly isStreamed = signal(true);
  readonly hasTools = signal(false);
  readonly body = signal(EXAMPLE);
  /** Name of a key; as any key of the workspace where it is empty. */
  readonly keyName = signal("");

  constructor(deps: RouteFormDeps) {
    this.#deps = deps;
  }

  /** Nobody is called. Throws in words what keeps it from being explained. */
  async explain(): Promise<ExplainedRoute> {
    const body = this.#body();
    const name = this.keyName.value.trim();
    const subject = name === ""
      ? { workspace_id: this.#deps.workspaceId.value }
      : { api_key_hash: await this.#hashOf(name) };
    const address = `/console/api/route/explain${queryOf(subject)}`;
    const response = await this.#deps.api.send("POST", address, { body });
    return toRoute(await response.json());
  }

  #body(): unknown {
    if (this.mode.value === "body") {
      try {
        return JSON.parse(this.body.value);
      } catch (cause) {
        throw new Error(routeText.noJson(cause instanceof Error ? cause.message : ""), { cause });
      }
    }
    const tools = [{ type: "function", name: "stand_in", parameters: { type: "object", properties: {} } }];
    return {
      model: this.model.value.trim() || undefined,
      input: "Hello",
      stream: this.isStreamed.value,
      tools: this.hasTools.value ? tools : undefined,
    };
  }

  async #hashOf(name: string): Promise<string> {
    const query = { q: name, workspace_id: "all", limit: 100 };
    const { data } = await this.#deps.api.call(listKeys, { query });
    const found = data.find((key) => key.name === name || key.hash === name);
    if (found === undefined) throw new Error(routeText.noKey(name));
    return found.hash;
  }
}

/** The server has rendered it. */
function toRoute(body: unknown): ExplainedRoute {
  return body as ExplainedRoute;
}
