/** The command palette: pages, keys by name or hash, workspaces, and actions, narrowed by what is typed. */

import { computed, signal } from "@preact/signals";
import type { KeyRecord } from "../../shared/keys.ts";
import type { WorkspaceRecord } from "../../shared/workspaces.ts";
import type { Clock } from "../clock.ts";
import type { IconName } from "../components/icon.tsx";
import { isOwnId } from "./requests/request_filters.ts";
import { paletteText } from "../text/frame.ts";

interface PaletteEntry {
  readonly icon: IconName;
  readonly text: string;
  /** On the right, smaller. */
  readonly detail?: string;
  /** Where it leads. */
  readonly href: string;
}

interface PaletteGroup {
  readonly title: string;
  readonly entries: readonly PaletteEntry[];
}

interface PaletteDeps {
  readonly clock: Clock;
  readonly pages: readonly { readonly name: string; readonly icon: IconName; readonly path: string }[];
  readonly workspaces: () => readonly WorkspaceRecord[];
  /** Keys with a word, hash or label that begins so. */
  readonly findKeys: (text: string) => Promise<readonly KeyRecord[]>;
  readonly describeKey: (key: KeyRecord) => string;
  readonly link: (path: string, query?: Readonly<Record<string, string>>) => string;
  readonly canChange: boolean;
}

interface FilteredList {
  readonly icon: IconName;
  readonly text: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
}

/** Questions that a page answers by a filter or a tab. */
const lists: readonly FilteredList[] = [
  { icon: "key", text: paletteText.unusedKeys, path: "/keys", query: { state: "unused" } },
  { icon: "key", text: paletteText.refusedKeys, path: "/keys", query: { state: "reached" } },
  { icon: "key", text: paletteText.expiringKeys, path: "/keys", query: { state: "expiring" } },
  { icon: "key", text: paletteText.managementKeys, path: "/keys", query: { view: "management" } },
  { icon: "requests", text: paletteText.failedRequests, path: "/requests", query: { status: "failed" } },
  { icon: "requests", text: paletteText.sessions, path: "/requests", query: { view: "sessions" } },
  { icon: "model", text: paletteText.providers, path: "/models", query: { view: "providers" } },
  { icon: "model", text: paletteText.route, path: "/models", query: { view: "route" } },
  { icon: "folder", text: paletteText.containers, path: "/files", query: { view: "containers" } },
];

const MOST = 6;
/** A key press that follows within this time does not search by itself. */
const PAUSE_MS = 80;

/** True where every typed word begins a word of the name. */
export function matchesWords(name: string, typed: string): boolean {
  const words = name.toLowerCase().split(/[^\p{L}\p{N}]+/u);
  return typed.toLowerCase().split(/\s+/).filter(Boolean).every((part) =>
    words.some((word) => word.startsWith(part))
  );
}

export class PaletteModel {
  readonly #deps: PaletteDeps;
  readonly text = signal("");
  readonly #keys = signal<readonly KeyRecord[]>([]);
  readonly searching = signal(false);
  /** Position of the entry that Enter opens, counted over all groups. */
  readonly selected = signal(0);
  #cancel: (() => void) | undefined;
  #round = 0;

  constructor(deps: PaletteDeps) {
    this.#deps = deps;
  }

  readonly groups = computed((): readonly PaletteGroup[] => {
    const typed = this.text.value.trim();
    return [
      { title: paletteText.requests, entries: this.#requestEntries(typed) },
      { title: paletteText.keys, entries: this.#keyEntries() },
      { title: paletteText.workspaces, entries: this.#workspaceEntries(typed) },
      { title: paletteText.pages, entries: this.#pageEntries(typed) },
      { title: paletteText.lists, entries: this.#listEntries(typed) },
      { title: paletteText.actions, entries: this.#actionEntries(typed) },
    ].filter(({ entries }) => entries.length > 0);
  });

  /** The request with an id of ours. */
  #requestEntries(typed: string): readonly PaletteEntry[] {
    if (!isOwnId(typed)) return [];
    const href = this.#deps.link("/requests", { id: typed });
    return [{ icon: "requests", text: paletteText.request(typed), href }];
  }

  #keyEntries(): readonly PaletteEntry[] {
    const { describeKey, link } = this.#deps;
    return this.#keys.value.slice(0, MOST).map((key) => ({
      icon: "key",
      text: key.name,
      detail: describeKey(key),
      href: link("/keys", { key: key.hash }),
    }));
  }

  #workspaceEntries(typed: string): readonly PaletteEntry[] {
    if (typed === "") return [];
    const { workspaces, link } = this.#deps;
    return workspaces().filter(({ name, slug }) => matchesWords(name, typed) || slug === typed).slice(0, MOST)
      .map(({ name, slug }) => ({
        icon: "workspace",
        text: name,
        href: link("/workspaces", { open: slug }),
      }));
  }

  #pageEntries(typed: string): readonly PaletteEntry[] {
    const { pages, link } = this.#deps;
    return pages.filter(({ name }) => matchesWords(name, typed))
      .map(({ name, icon, path }) => ({ icon, text: name, href: link(path) }));
  }

  /** Lists with their filters, once something is typed. */
  #listEntries(typed: string): readonly PaletteEntry[] {
    if (typed === "") return [];
    return lists.filter(({ text }) => matchesWords(text, typed))
      .map(({ icon, text, path, query }) => ({ icon, text, href: this.#deps.link(path, query) }));
  }

  #actionEntries(typed: string): readonly PaletteEntry[] {
    const { link, canChange } = this.#deps;
    if (!canChange) return [];
    const actions: readonly PaletteEntry[] = [
      { icon: "plus", text: paletteText.newKey(undefined), href: link("/keys", { open: "new" }) },
      { icon: "plus", text: paletteText.newWorkspace, href: link("/workspaces", { open: "new" }) },
    ];
    return actions.filter(({ text }) => matchesWords(text, typed));
  }

  readonly entries = computed(() => this.groups.value.flatMap(({ entries }) => entries));

  type(text: string): void {
    this.text.value = text;
    this.selected.value = 0;
    this.#cancel?.();
    const round = ++this.#round;
    if (text.trim() === "") {
      this.#keys.value = [];
      this.searching.value = false;
      return;
    }
    this.searching.value = true;
    this.#cancel = this.#deps.clock.after(PAUSE_MS, () => void this.#search(text.trim(), round));
  }

  move(step: 1 | -1): void {
    const count = this.entries.value.length;
    if (count > 0) this.selected.value = (this.selected.value + step + count) % count;
  }

  get chosen(): PaletteEntry | undefined {
    return this.entries.value[this.selected.value];
  }

  async #search(text: string, round: number): Promise<void> {
    try {
      const found = await this.#deps.findKeys(text);
      if (round === this.#round) this.#keys.value = found;
    } catch (error) {
      // The rest of the palette still works; the frame shows a lost connection by itself.
      console.warn(error);
    } finally {
      if (round === this.#round) this.searching.value = false;
    }
  }
}
