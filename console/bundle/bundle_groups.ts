/**
 * Groups the modules that several pages share into few files. Left alone, the bundler makes a file for each set of
 * pages that share something, and a page loads twenty; here sets are joined, those first of which pages load the
 * least that they do not use, until no page has more than a few.
 */

/** Files of shared modules that a page loads beside its own, the frame's included. */
const MOST_SHARED_FILES = 5;

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
  /** Modules that they import, directly or by others: whatever loads the group loads them too. */
  readonly needs: ReadonlySet<string>;
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
  const groups = new Map<
    string,
    { modules: Set<string>; pages: Set<string>; bytes: number; needs: Set<string> }
  >();
  for (const [path, by] of users) {
    if (by.size < 2 || !kept.has(path)) continue;
    const name = [...by].sort().join(" ");
    const group = groups.get(name) ?? { modules: new Set(), pages: by, bytes: 0, needs: new Set() };
    group.modules.add(path);
    for (const needed of runOrder(metafile, path)) group.needs.add(needed);
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
    needs: new Set([...one.needs, ...other.needs]),
  };
}

/** Groups of which each needs something, by the group that needs it. */
function neededGroups(groups: readonly Group[]): ReadonlyMap<Group, readonly Group[]> {
  const needed = (one: Group) =>
    groups.filter((group) => group !== one && !group.modules.isDisjointFrom(one.needs));
  return new Map(groups.map((group) => [group, needed(group)]));
}

type NeededGroups = ReturnType<typeof neededGroups>;

/** Bytes that the pages of a group load more when they load another one as well, with what that needs. */
function loadedMore({ pages }: Group, added: Group, needed: NeededGroups): number {
  return [added, ...needed.get(added) ?? []].reduce(
    (sum, group) => sum + group.bytes * pages.difference(group.pages).size,
    0,
  );
}

/** Bytes that pages load more once the two are one. */
function waste([one, other]: readonly [Group, Group], needed: NeededGroups): number {
  return loadedMore(other, one, needed) + loadedMore(one, other, needed);
}

/** The groups with two of them as one; what the two need is loaded by the pages of both. */
function withJoined(
  groups: readonly Group[],
  [one, other]: readonly [Group, Group],
  needed: NeededGroups,
): readonly Group[] {
  const joined = join(one, other);
  const needs = new Set([...needed.get(one) ?? [], ...needed.get(other) ?? []]);
  const others = groups.filter((group) => group !== one && group !== other);
  return [
    ...others.map((group) => needs.has(group) ? { ...group, pages: group.pages.union(joined.pages) } : group),
    joined,
  ];
}

/** Joins groups until no page has more than the most that it may. */
export function joinGroups({ pages, groups }: ModuleGraph, most = MOST_SHARED_FILES): readonly Group[] {
  let left = groups;
  for (;;) {
    const crowded = pages.filter((page) => left.filter((group) => group.pages.has(page)).length > most);
    if (crowded.length === 0) return left;
    const needed = neededGroups(left);
    // Of which one page at least that has too many has one less then.
    const pairs = left.flatMap((one, at) =>
      left.slice(at + 1)
        .filter((other) => crowded.some((page) => one.pages.has(page) && other.pages.has(page)))
        .map((other) => ({ pair: [one, other] as const, bytes: waste([one, other], needed) }))
    );
    const [least] = pairs.sort((a, b) => a.bytes - b.bytes);
    if (least === undefined) return left;
    left = withJoined(left, least.pair, needed);
  }
}
