/** The Keys page: a page of keys by search, order and state, which all stand in the address. */

import { computed, type ReadonlySignal, signal } from "@preact/signals";
import type { KeyRecord } from "../../../shared/keys.ts";
import {
  type KeySort,
  keySorts,
  type KeyState,
  keyStates,
} from "../../../shared/management/lists/key_sorts.ts";
import { type ConsoleApi, operation } from "../../api.ts";
import type { Router } from "../../router.ts";
import { CursorPages } from "../cursor_pages.ts";

const listKeys = operation<"keys.list">("GET", "/keys");

const KEYS_A_PAGE = 20;
/** Calls that are made for a page before the user is asked whether to go on: each looks at so many keys only. */
const MOST_CALLS = 6;

interface KeysDeps {
  readonly api: Pick<ConsoleApi, "call">;
  readonly router: Pick<Router, "query" | "setQuery">;
  /** The workspace that the switcher chose; undefined for all. */
  readonly workspaceId: ReadonlySignal<string | undefined>;
}

function toSort(text: string | undefined): KeySort {
  return keySorts.find((sort) => sort === text) ?? "created";
}

export class KeysModel {
  readonly #deps: KeysDeps;
  readonly q = computed(() => this.#query("q") ?? "");
  readonly sort = computed(() => toSort(this.#query("sort")));
  /** Undefined for keys in any state. */
  readonly state = computed(() => keyStates.find((state) => state === this.#query("state")));
  readonly list = new CursorPages({
    size: KEYS_A_PAGE,
    read: (cursor, abort) => this.#read(cursor, abort),
    nextCursor: ({ next }) => next ?? undefined,
    address: {
      query: computed(() => this.#deps.router.query.value),
      setQuery: (changes) => this.#deps.router.setQuery(changes),
    },
  });
  readonly selected = signal<ReadonlySet<string>>(new Set());

  constructor(deps: KeysDeps) {
    this.#deps = deps;
  }

  readonly keys = computed(() => this.list.data.value?.data);
  /** Hash of the key whose panel is open. */
  readonly open = computed(() => this.#query("key"));

  #query(name: string): string | undefined {
    return this.#deps.router.query.value.get(name);
  }

  /** Choices that decide which keys are listed: when they change, the list begins anew. */
  readonly filter = computed(() =>
    JSON.stringify([this.q.value, this.sort.value, this.state.value, this.#deps.workspaceId.value])
  );

  /** Whether nothing is filtered, so that an empty list means that there is no key. */
  readonly isWhole = computed(() =>
    this.q.value === "" && this.state.value === undefined && this.#deps.workspaceId.value === undefined
  );

  /** Reads the first page of the filter, or the page of it that the address names. */
  async show(): Promise<void> {
    this.selected.value = new Set();
    await this.list.open(this.filter.value);
  }

  /** Reads the first page of the filter. */
  async restart(): Promise<void> {
    this.selected.value = new Set();
    await this.list.restart();
  }

  search(q: string): void {
    this.#deps.router.setQuery({ q });
  }

  sortBy(sort: KeySort): void {
    this.#deps.router.setQuery({ sort });
  }

  showState(state: KeyState | undefined): void {
    this.#deps.router.setQuery({ state });
  }

  /** Shows all keys of all workspaces. */
  showAll(): void {
    this.#deps.router.setQuery({ q: undefined, state: undefined, workspace: undefined });
  }

  openKey(hash: string | undefined): void {
    this.#deps.router.setQuery({ key: hash }, { push: true });
  }

  /** The key before or behind the open one on this page; undefined where there is none. */
  neighbor(step: 1 | -1): string | undefined {
    const hashes = (this.keys.value ?? []).map(({ hash }) => hash);
    const at = hashes.indexOf(this.open.value ?? "");
    return at < 0 ? undefined : hashes[at + step];
  }

  /** Shows a key as it is now, without reading the list again. */
  replace(key: KeyRecord): void {
    const page = this.list.data.value;
    if (page === undefined) return;
    this.list.set({
      ...page,
      data: page.data.map((one) => one.hash === key.hash ? { ...one, ...key } : one),
    });
  }

  /** Takes a deleted key out of the page. */
  remove(hash: string): void {
    const page = this.list.data.value;
    if (page === undefined) return;
    const data = page.data.filter((one) => one.hash !== hash);
    this.selected.value = new Set([...this.selected.peek()].filter((one) => one !== hash));
    if (data.length === 0) void this.list.loadAfterRemoval({ left: 0 });
    else this.list.set({ ...page, data });
  }

  /** The filters as the operations of keys take them. */
  get keyQuery() {
    return {
      q: this.q.value || undefined,
      sort: this.sort.value,
      state: this.state.value,
      include_disabled: this.state.value === undefined ? true : undefined,
      workspace_id: this.#deps.workspaceId.value ?? "all",
    };
  }

  async #read(cursor: string | undefined, abort: AbortSignal) {
    const wanted = this.keyQuery;
    const read = (next: string | undefined, limit: number) =>
      this.#deps.api.call(listKeys, { query: { ...wanted, cursor: next, limit }, signal: abort });
    let page = await read(cursor, KEYS_A_PAGE);
    for (let calls = 1; page.next && page.data.length < KEYS_A_PAGE && calls < MOST_CALLS; calls++) {
      const { data, next } = await read(page.next, KEYS_A_PAGE - page.data.length);
      page = { ...page, data: [...page.data, ...data], next };
    }
    return page;
  }
}
