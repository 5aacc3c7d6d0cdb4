/** The command palette: pages, keys by name or hash, workspaces, and actions, narrowed by what is typed. */

import { computed, signal } from "@preact/signals";
import type { KeyRecord } from "../../shared/keys.ts";
import type { WorkspaceRecord } from "../../shared/workspaces.ts";
import type { Clock } from "../clock.ts";
import type { IconName } from "../components/icon.tsx";
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
    const { pages, workspaces, describeKey, link, canChange } = this.#deps;
    const typed = this.text.value.trim();
    const keys = this.#keys.value.slice(0, MOST).map((key): PaletteEntry => ({
      icon: "key",
      text: key.name,
      detail: describeKey(key),
      href: link("/keys", { key: key.hash }),
    }));
    const found = workspaces().filter(({ name, slug }) =>
      typed !== "" && (matchesWords(name, typed) || slug === typed)
    );
    const actions = canChange
      ? [
        { icon: "plus", text: paletteText.newKey(undefined), href: link("/keys", { open: "new" }) } as const,
        { icon: "plus", text: paletteText.newWorkspace, href: link("/workspaces", { open: "new" }) } as const,
      ]
      : [];
    return [
      { title: paletteText.keys, entries: keys },
      {
        title: paletteText.workspaces,
        entries: found.slice(0, MOST).map(({ name, slug }): PaletteEntry => ({
          icon: "workspace",
          text: name,
          href: link("/workspaces", { open: slug }),
        })),
      },
      {
        title: paletteText.pages,
        entries: pages.filter(({ name }) => matchesWords(name, typed))
          .map(({ name, icon, path }): PaletteEntry => ({ icon, text: name, href: link(path) })),
      },
      { title: paletteText.actions, entries: actions.filter(({ text }) => matchesWords(text, typed)) },
    ].filter(({ entries }) => entries.length > 0);
  });

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
