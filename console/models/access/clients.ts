/** Connect clients, and the keys that a revoked one has left. */

import { signal } from "@preact/signals";
import type { KeyRecord } from "../../../shared/keys.ts";
import type { ConnectClient } from "../../../shared/management/clients.ts";
import { type ConsoleApi, operation } from "../../api.ts";
import type { Router } from "../../router.ts";
import { ShortList } from "./short_list.ts";

const listClients = operation<"clients.list">("GET", "/connect/clients");
const revokeClient = operation<"clients.revoke">("POST", "/connect/clients/:id/revoke");

interface ClientsDeps {
  readonly api: Pick<ConsoleApi, "call">;
  readonly router: Pick<Router, "query" | "setQuery">;
  /** Whether the filters of the page leave a client of a workspace. */
  readonly isShown: (client: ConnectClient) => boolean;
}

export class ClientsModel extends ShortList<ConnectClient> {
  constructor({ api, router, isShown }: ClientsDeps) {
    super({
      router,
      read: (query, signal) => api.call(listClients, { query, signal }),
      idOf: ({ id }) => id,
      textOf: ({ name, label }) => `${name} ${label ?? ""}`,
      isShown,
    });
  }
}

interface ClientKeys {
  readonly keys: readonly KeyRecord[];
  /** Number of all of them. */
  readonly total: number;
}

/** Revokes a client, and reads the keys that stay valid; of a client that is revoked already, only the keys. */
export class RevokedClientModel {
  readonly #api: Pick<ConsoleApi, "call">;
  readonly #id: string;
  /** Undefined until they were read. */
  readonly left = signal<ClientKeys | undefined>(undefined);

  constructor(id: string, api: Pick<ConsoleApi, "call">) {
    this.#id = id;
    this.#api = api;
  }

  /** Reads the first keys, or those behind the ones that were read. Throws what the gateway refuses. */
  async read(): Promise<ConnectClient> {
    const known = this.left.peek()?.keys ?? [];
    const { data, keys, total_count: total } = await this.#api.call(revokeClient, {
      params: { id: this.#id },
      query: { offset: known.length },
    });
    this.left.value = { keys: [...known, ...keys], total };
    return data;
  }
}
