/**
 * Groups the modules that several pages share into few files. Left alone, the bundler makes a file for each set of
 * pages that share something, and a page loads twenty; here sets are joined, those first of which pages load the
 * least that they do not use, until no page has more than a few.
 */

/** Files of shared modules that a page loads beside its own, the frame's included. */
const MOST_SHARED_FILES = 4;

/** As much of the bundler's account of a build as tells who imports what. */
export interface BuildAccount {
  readonly inputs: Readonly<
    Record<string, {
      readonly bytes: number;
      readonly imports: readonly {
        readonly path: string;
        readonly kind: string;
        readonly external?: boolean;
      }[];
    }>
  >;
  readonly outputs: Readonly<
    Record<string, { readonly inputs: Readonly<Record<string, { readonly bytesInOutput: number }>> }>
  >;
}

/** Modules that are loaded together. */
export interface Group {
  readonly modules: ReadonlySet<string>;
  /** Pages that load it, by their module; the entry of the frame is one of them. */
  readonly pages: ReadonlySet<string>;
  /** Bytes of source. */
  readonly bytes: number;
}

interface ModuleGraph {
  /** The entry, and the modules that are imported when they are needed: one for each page. */
  readonly pages: readonly string[];
  readonly groups: readonly Group[];
}

/** Modules that one imports, directly or by others, in the order in which they run; the last one is itself. */
function runOrder({ inputs }: BuildAccount, from: string): readonly string[] {
  const order = new Set<string>();
  const begun = new Set<string>();
  const visit = (path: string) => {
    if (begun.has(path)) return;
    begun.add(path);
    for (const { path: next, kind, external } of inputs[path]?.imports ?? []) {
      if (kind === "import-statement" && external !== true) visit(next);
    }
    order.add(path);
  };
  visit(from);
  return [...order];
}

/** Modules of which something is left in what is built. */
function keptModules({ outputs }: BuildAccount): ReadonlySet<string> {
  const parts = Object.values(outputs).flatMap(({ inputs }) => Object.entries(inputs));
  return new Set(parts.filter(([, { bytesInOutput }]) => bytesInOutput > 0).map(([path]) => path));
}

/** Groups by the exact set of pages, in the order in which their modules run. */
export function moduleGraph(metafile: BuildAccount, entry: string): ModuleGraph {
  const kept = keptModules(metafile);
  const dynamic = Object.values(metafile.inputs).flatMap(({ imports }) =>
    imports.filter(({ kind }) => kind === "dynamic-import").map(({ path }) => path)
  );
  const pages = [entry, ...new Set(dynamic)];
  const orders = pages.map((page) => [page, runOrder(metafile, page)] as const);
  const frame = new Set(orders[0]?.[1] ?? []);
  const users = new Map<string, Set<string>>();
  for (const [page, order] of orders) {
    for (const path of order) {
      if (pages.includes(path)) continue;
      // Every page runs within the frame, so that it loads the frame's modules in any case.
      const own = frame.has(path) ? pages : [page];
      users.set(path, new Set([...users.get(path) ?? [], ...own]));
    }
  }
  const groups = new Map<string, { modules: Set<string>; pages: Set<string>; bytes: number }>();
  for (const [path, by] of users) {
    if (by.size < 2 || !kept.has(path)) continue;
    const name = [...by].sort().join(" ");
    const group = groups.get(name) ?? { modules: new Set(), pages: by, bytes: 0 };
    group.modules.add(path);
    group.bytes += metafile.inputs[path]?.bytes ?? 0;
    groups.set(name, group);
  }
  return { pages, groups: [...groups.values()] };
}

function join(one: Group, other: Group): Group {
  return {
    modules: new Set([...one.modules, ...other.modules]),
    pages: new Set([...one.pages, ...other.pages]),
    bytes: one.bytes + other.bytes,
  };
}

/** Bytes that pages load more once the two are one. */
function waste(one: Group, other: Group): number {
  return one.bytes * other.pages.difference(one.pages).size +
    other.bytes * one.pages.difference(other.pages).size;
}

/** Joins groups until no page has more than the most that it may. */
export function joinGroups({ pages, groups }: ModuleGraph, most = MOST_SHARED_FILES): readonly Group[] {
  let left = [...groups];
  for (;;) {
    const crowded = pages.filter((page) => left.filter((group) => group.pages.has(page)).length > most);
    if (crowded.length === 0) return left;
    const candidates = left.filter((group) => crowded.some((page) => group.pages.has(page)));
    const pairs = candidates.flatMap((one, at) =>
      candidates.slice(at + 1).map((other) => ({ one, other, bytes: waste(one, other) }))
    );
    const [least] = pairs.sort((a, b) => a.bytes - b.bytes);
    if (least === undefined) return left;
    left = [
      ...left.filter((group) => group !== least.one && group !== least.other),
      join(least.one, least.other),
    ];
  }
}
