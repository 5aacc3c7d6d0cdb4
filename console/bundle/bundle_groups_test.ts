import assert from "node:assert/strict";
import { type BuildAccount, joinGroups, moduleGraph } from "./bundle_groups.ts";

/** A module of a graph: what it imports, and as a page what it loads when it is needed. */
type Modules = Readonly<
  Record<string, { readonly uses?: readonly string[]; readonly pages?: readonly string[] }>
>;

function metafileOf(modules: Modules): BuildAccount {
  const entries = Object.entries(modules);
  const inputs = entries.map(([path, { uses = [], pages = [] }]) => [path, {
    bytes: 100,
    imports: [
      ...uses.map((used) => ({ path: used, kind: "import-statement" as const })),
      ...pages.map((page) => ({ path: page, kind: "dynamic-import" as const })),
    ],
  }]);
  const kept = entries.map(([path]) => [path, { bytesInOutput: 50 }]);
  return {
    inputs: Object.fromEntries(inputs),
    outputs: { out: { inputs: Object.fromEntries(kept) } },
  };
}

const modules: Modules = {
  "main.ts": { uses: ["frame.ts"], pages: ["a.ts", "b.ts", "c.ts"] },
  "frame.ts": {},
  "a.ts": { uses: ["frame.ts", "all.ts", "ab.ts", "own.ts"] },
  "b.ts": { uses: ["all.ts", "ab.ts", "bc.ts"] },
  "c.ts": { uses: ["all.ts", "bc.ts"] },
  "all.ts": {},
  "ab.ts": {},
  "bc.ts": {},
  "own.ts": {},
};

const modulesOf = (groups: ReturnType<typeof joinGroups>) =>
  groups.map((group) => [...group.modules].sort().join(" ")).sort();

Deno.test("moduleGraph groups modules by the pages that share them; the frame's are every page's", () => {
  const { pages, groups } = moduleGraph(metafileOf(modules), "main.ts");
  assert.deepEqual(pages, ["main.ts", "a.ts", "b.ts", "c.ts"]);
  assert.deepEqual(modulesOf(groups), ["ab.ts", "all.ts", "bc.ts", "frame.ts"]);
  const frame = groups.find((group) => group.modules.has("frame.ts"));
  assert.equal(frame?.pages.size, 4);
});

Deno.test("joinGroups joins what wastes least, until no page has more than the most", () => {
  const graph = moduleGraph(metafileOf(modules), "main.ts");
  assert.deepEqual(modulesOf(joinGroups(graph, 4)), ["ab.ts", "all.ts", "bc.ts", "frame.ts"]);
  // Page b has four: one of them joins another.
  const joined = joinGroups(graph, 3);
  assert.equal(joined.length, 3);
  for (const most of [1, 2, 3]) {
    const groups = joinGroups(graph, most);
    for (const page of graph.pages) {
      assert(groups.filter((group) => group.pages.has(page)).length <= most, `${page} at ${most}`);
    }
    assert.equal(groups.reduce((sum, group) => sum + group.modules.size, 0), 4, "no module is lost");
  }
});

Deno.test("joinGroups counts what a group needs, and gives it to every page that gets the group", () => {
  const graph = moduleGraph(
    metafileOf({
      "main.ts": { uses: ["frame.ts"], pages: ["a.ts", "b.ts", "c.ts", "d.ts"] },
      "frame.ts": {},
      "a.ts": { uses: ["abd.ts"] },
      "b.ts": { uses: ["abd.ts", "bc.ts", "bcd.ts"] },
      "c.ts": { uses: ["bc.ts", "bcd.ts"] },
      "d.ts": { uses: ["abd.ts", "bcd.ts"] },
      "abd.ts": {},
      // Large by what it needs, which page a has no use for.
      "bc.ts": { uses: ["bcd.ts"] },
      "bcd.ts": {},
    }),
    "main.ts",
  );
  for (const most of [1, 2, 3]) {
    const groups = joinGroups(graph, most);
    for (const { needs, pages } of groups) {
      const needed = groups.filter((group) => !group.modules.isDisjointFrom(needs));
      for (const group of needed) assert.deepEqual(pages.difference(group.pages), new Set(), `at ${most}`);
    }
  }
  assert.deepEqual(modulesOf(joinGroups(graph, 3)), ["abd.ts", "bc.ts bcd.ts", "frame.ts"]);
});
