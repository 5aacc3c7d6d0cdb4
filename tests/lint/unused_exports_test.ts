import assert from "node:assert/strict";
import { readSources, unusedExports } from "./unused_exports.ts";

const unused = (files: Readonly<Record<string, string>>) => unusedExports(new Map(Object.entries(files)));

Deno.test("unusedExports names what no other file imports, of every kind of declaration", () => {
  const declarations = [
    "export const a = 1;",
    "export function b() {}",
    "export async function c() {}",
    "export function* d() {}",
    "export class E {}",
    "export interface F {}",
    "export type G = string;",
    "export const { h, i: j } = a;",
    "const k = 1;",
  ];
  const found = unused({ "server/x.ts": declarations.join("\n") });
  assert.deepEqual(
    found,
    ["a", "b", "c", "d", "E", "F", "G", "h", "i"].map((name) => `server/x.ts: ${name}`),
  );
});

Deno.test("unusedExports counts every way to import, by any file", () => {
  const all = "export const a = 1;\nexport type B = string;";
  const users = {
    "server/api/one.ts": 'import { a, type B } from "../x.ts";',
    "server/x_test.ts": 'import type { B as C } from "./x.ts";\nexport { a as d } from "./x.ts";',
    "tests/y.ts": 'import * as x from "../server/x.ts";',
    "tests/z.ts": 'const { a } = await import("../server/x.ts");',
    "console/w.ts": 'export * from "../server/x.ts";',
    "console/v.tsx": 'import {\n  a,\n  type B,\n} from "../server/x.ts";',
  };
  for (const [file, text] of Object.entries(users)) {
    assert.deepEqual(unused({ "server/x.ts": all, [file]: text }), [], file);
  }
  assert.deepEqual(unused({ "server/x.ts": all, "server/y.ts": 'import { a } from "./other.ts";' }), [
    "server/x.ts: a",
    "server/x.ts: B",
  ]);
});

Deno.test("every export of the product is imported by another file", () => {
  const sources = readSources(new URL("../../", import.meta.url));
  assert.ok(sources.size > 1_500);
  assert.deepEqual(unusedExports(sources), []);
});
