/** The address of the console: the page in its path, filters in its query, so that every view can be bookmarked. */

import { batch, signal } from "@preact/signals";

/** Parts that the router needs of a browser's `history` and `location`. */
export interface BrowserAddress {
  /** Path, query and fragment. */
  read(): string;
  push(href: string): void;
  replace(href: string): void;
  /** Calls back when the user goes back or forward. */
  onBack(run: () => void): void;
}

const BASE = "/console";

/** Filters that go along from page to page. */
const carried = ["workspace", "range"] as const;

/** Where a step leads: the page below `/console`, and its filters. */
export interface RouterTarget {
  readonly path: string;
  readonly query: ReadonlyMap<string, string>;
}

type QueryChanges = Readonly<Record<string, string | undefined>>;

export class Router {
  readonly #address: BrowserAddress;
  /** Below `/console`, without a slash at the end: `/keys`; empty for the overview. */
  readonly path = signal("");
  readonly query = signal<ReadonlyMap<string, string>>(new Map());
  /** Asked before a step that the user can go back from: true where it is not done now, and `go` does it later. */
  hold: (target: RouterTarget, go: () => void) => boolean = () => false;

  constructor(address: BrowserAddress) {
    this.#address = address;
    address.onBack(() => this.#back());
    this.#read();
  }

  /** Path and query as they stand. */
  get href(): string {
    return `${BASE}${this.path.value}${textOf(this.query.value)}`;
  }

  /** The address of a page, with the filters that go along. */
  link(path: string, changes: QueryChanges = {}): string {
    const kept = carried.flatMap((name): [string, string][] => {
      const value = this.query.value.get(name);
      return value === undefined ? [] : [[name, value]];
    });
    return `${BASE}${path}${textOf(apply(new Map(kept), changes))}`;
  }

  /** Goes to an address of the console, which the user can go back from. */
  go(href: string): void {
    if (href === this.href) return;
    this.#push(href);
  }

  #push(href: string): void {
    const go = () => {
      this.#address.push(href);
      this.#read();
    };
    if (!this.hold(targetOf(href), go)) go();
  }

  /** The browser has gone already: while the step is held, it is put back. */
  #back(): void {
    const href = this.#address.read();
    const before = this.href;
    const go = () => {
      this.#address.replace(href);
      this.#read();
    };
    if (this.hold(targetOf(href), go)) this.#address.push(before);
    else this.#read();
  }

  /** Changes filters of this page. `undefined` and the empty text remove one. */
  setQuery(changes: QueryChanges, { push = false }: { readonly push?: boolean } = {}): void {
    const href = `${BASE}${this.path.value}${textOf(apply(this.query.value, changes))}`;
    if (href === this.href) return;
    if (push) return this.#push(href);
    this.#address.replace(href);
    this.#read();
  }

  /** Another page in the place of this one, without its filters. */
  replace(path: string): void {
    this.#address.replace(`${BASE}${path}`);
    this.#read();
  }

  /** The same address without its fragment, which may hold a secret. */
  dropFragment(): void {
    this.#address.replace(this.href);
  }

  #read(): void {
    const { path, query } = targetOf(this.#address.read());
    batch(() => {
      this.path.value = path;
      this.query.value = query;
    });
  }
}

function targetOf(href: string): RouterTarget {
  const url = new URL(href, "http://console");
  return { path: url.pathname.slice(BASE.length).replace(/\/+$/, ""), query: new Map(url.searchParams) };
}

function apply(query: ReadonlyMap<string, string>, changes: QueryChanges): ReadonlyMap<string, string> {
  const next = new Map(query);
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined || value === "") next.delete(name);
    else next.set(name, value);
  }
  return next;
}

function textOf(query: ReadonlyMap<string, string>): string {
  return query.size === 0 ? "" : `?${new URLSearchParams([...query])}`;
}

export function browserAddress(): BrowserAddress {
  return {
    read: () => location.pathname + location.search + location.hash,
    push: (href) => history.pushState(null, "", href),
    replace: (href) => history.replaceState(null, "", href),
    onBack: (run) => addEventListener("popstate", run),
  };
}
