/** The Requests page: receipts by filters that stand in the address, newest first, and the one that is open. */

import { computed, type ReadonlySignal } from "@preact/signals";
import type { ReceiptRecord } from "../../../shared/management/receipts.ts";
import { type ConsoleApi, operation } from "../../api.ts";
import type { Clock } from "../../clock.ts";
import type { Router } from "../../router.ts";
import { CursorPages } from "../cursor_pages.ts";
import type { KeyNames } from "../keys/key_names.ts";
import { keysOf } from "./receipt.ts";
import {
  filterList,
  filtersOf,
  isLookedThrough,
  receiptQuery,
  type RequestFilters,
  searchOf,
  timeOf,
} from "./request_filters.ts";

const listReceipts = operation<"receipts.list">("GET", "/receipts");

const REQUESTS_A_PAGE = 25;
/** Rows of a list that is live. */
const MOST_LIVE_ROWS = 100;
/** How long it is looked for a page, and in how many slices, before the user is asked whether to go on. */
const MOST_LOOKING_MS = 3_000;
const MOST_SLICES = 60;

interface RequestsDeps {
  readonly api: Pick<ConsoleApi, "call">;
  readonly clock: Pick<Clock, "now">;
  readonly router: Pick<Router, "query" | "setQuery">;
  /** The workspace that the switcher chose; undefined for all. */
  readonly workspaceId: ReadonlySignal<string | undefined>;
  readonly keyNames: KeyNames;
}

interface RequestPage {
  readonly rows: readonly ReceiptRecord[];
  /** Number of receipts that are damaged in the store. */
  readonly missing: number;
  readonly next: string | undefined;
  /** Nothing that ended before it was looked at; null at the end. */
  readonly scannedUntil: string | null;
}

export class RequestsModel {
  readonly #deps: RequestsDeps;
  readonly filters = computed(() => filtersOf(this.#deps.router.query.value));
  readonly list = new CursorPages<RequestPage>({
    size: REQUESTS_A_PAGE,
    read: (cursor, abort) => this.#read(cursor, abort),
    nextCursor: ({ next }) => next,
    address: {
      query: computed(() => this.#deps.router.query.value),
      setQuery: (changes) => this.#deps.router.setQuery(changes),
    },
  });

  constructor(deps: RequestsDeps) {
    this.#deps = deps;
  }

  readonly rows = computed(() => this.list.data.value?.rows);
  /** Id of the receipt whose panel is open. */
  readonly open = computed(() => this.#deps.router.query.value.get("receipt"));
  readonly search = computed(() => this.filters.value.id ?? this.filters.value.q ?? "");
  readonly isLookedThrough = computed(() => isLookedThrough(this.filters.value));

  /** Choices that decide which requests are listed: when they change, the list begins anew. */
  readonly filter = computed(() => {
    const { query } = this.#deps.router;
    const time = ["since", "until", "range"].map((name) => query.value.get(name));
    return JSON.stringify([this.filters.value, time, this.#deps.workspaceId.value]);
  });

  get now(): number {
    return this.#deps.clock.now();
  }

  get time() {
    return timeOf(this.#deps.router.query.value, this.now);
  }

  /** The filters as the operations of receipts take them, at this moment. */
  get receiptQuery() {
    const [filters, workspaceId] = [this.filters.value, this.#deps.workspaceId.value];
    return receiptQuery({ filters, workspaceId, time: this.time });
  }

  setFilters(changes: { readonly [F in keyof RequestFilters]: string | undefined }): void {
    this.#deps.router.setQuery(changes);
  }

  searchFor(text: string): void {
    this.setFilters(searchOf(text));
  }

  removeFilters(): void {
    this.#deps.router.setQuery(Object.fromEntries(filterList.map((name) => [name, undefined])));
  }

  setRange(range: string): void {
    const changes = { range: range === "24h" ? undefined : range, since: undefined, until: undefined };
    this.#deps.router.setQuery(changes);
  }

  /** Narrows the time to a span; ms since the epoch. */
  narrow(from: number, to: number): void {
    const [since, until] = [from, to].map((at) => new Date(at).toISOString());
    this.#deps.router.setQuery({ since, until }, { push: true });
  }

  readonly view = computed(() =>
    this.#deps.router.query.value.get("view") === "sessions" ? "sessions" as const : "requests" as const
  );
  /** Whether receipts are shown as they are written. A span of time that is over has none. */
  readonly isLive = computed(() => {
    const { value: query } = this.#deps.router.query;
    return query.get("live") === "on" && this.canBeLive.value;
  });
  readonly canBeLive = computed(() => {
    const { value: query } = this.#deps.router.query;
    return this.view.value === "requests" && query.get("until") === undefined &&
      query.get("id") === undefined;
  });

  setLive(isLive: boolean): void {
    this.#deps.router.setQuery({ live: isLive ? "on" : undefined });
  }

  /** Puts receipts that were just written before the list, the newest first. */
  prepend(receipts: readonly ReceiptRecord[]): void {
    const page = this.list.data.peek();
    if (page === undefined) return;
    const known = new Set(page.rows.map(({ id }) => id));
    const fresh = receipts.filter(({ id }) => !known.has(id));
    this.list.set({ ...page, rows: [...fresh, ...page.rows].slice(0, MOST_LIVE_ROWS) });
    void this.#deps.keyNames.read(fresh.map(({ key_hash }) => key_hash), new AbortController().signal);
  }

  openReceipt(id: string | undefined): void {
    this.#deps.router.setQuery({ receipt: id }, { push: true });
  }

  /** The request before or behind the open one on this page; undefined where there is none. */
  neighbor(step: 1 | -1): string | undefined {
    const ids = (this.rows.value ?? []).map(({ id }) => id);
    const at = ids.indexOf(this.open.value ?? "");
    return at < 0 ? undefined : ids[at + step];
  }

  async #read(cursor: string | undefined, abort: AbortSignal): Promise<RequestPage> {
    const { receiptQuery: wanted } = this;
    const rows: ReceiptRecord[] = [];
    let [before, missing, slices] = [cursor, 0, 0];
    const end = this.now + MOST_LOOKING_MS;
    const mayGoOn = () => ++slices < MOST_SLICES && this.now < end;
    let scannedUntil: string | null;
    do {
      const query = { ...wanted, before, limit: REQUESTS_A_PAGE - rows.length };
      const page = await this.#deps.api.call(listReceipts, { query, signal: abort });
      rows.push(...page.data);
      const names = new Map(Object.entries(page.key_names));
      this.#deps.keyNames.add(page.data.flatMap(keysOf), names);
      missing += page.missing;
      scannedUntil = page.scanned_until;
      before = page.next ?? undefined;
    } while (before !== undefined && rows.length < REQUESTS_A_PAGE && mayGoOn());
    const { key } = this.filters.peek();
    if (key !== undefined) void this.#deps.keyNames.read([key], abort);
    return { rows, missing, next: before, scannedUntil };
  }
}
