/** Requests of the key that is signed in, by the state that the address names. */

import { computed } from "@preact/signals";
import type { ReceiptStatus } from "../../../shared/receipts.ts";
import { type ConsoleApi, operation } from "../../api.ts";
import type { Router } from "../../router.ts";
import { CursorPages } from "../cursor_pages.ts";

const listReceipts = operation<"key.receipts">("GET", "/key/receipts");

const REQUESTS_A_PAGE = 15;

export const ownStatuses = [
  "completed",
  "incomplete",
  "failed",
  "refused",
  "cancelled",
] as const satisfies readonly ReceiptStatus[];

interface OwnRequestsDeps {
  readonly api: Pick<ConsoleApi, "call">;
  readonly router: Pick<Router, "query" | "setQuery">;
}

export class OwnRequestsModel {
  readonly #router: OwnRequestsDeps["router"];
  readonly list;

  constructor({ api, router }: OwnRequestsDeps) {
    this.#router = router;
    this.list = new CursorPages({
      size: REQUESTS_A_PAGE,
      read: (cursor, signal) => {
        const query = { status: this.status.peek(), before: cursor, limit: REQUESTS_A_PAGE };
        return api.call(listReceipts, { query, signal });
      },
      nextCursor: ({ next }) => next ?? undefined,
      address: { query: computed(() => router.query.value), setQuery: (changes) => router.setQuery(changes) },
    });
  }

  /** Undefined for requests in any state. */
  readonly status = computed(() =>
    ownStatuses.find((status) => status === this.#router.query.value.get("status"))
  );
  /** When it changes, the list begins anew. */
  readonly filter = computed(() => this.status.value ?? "");

  showStatus(status: string | undefined): void {
    this.#router.setQuery({ status });
  }
}
