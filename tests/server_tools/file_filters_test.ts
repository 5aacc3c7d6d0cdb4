/** Filters of file searches, beside a reading of their words that is as simple as it can be. */

import assert from "node:assert/strict";
import fc from "fast-check";
import {
  attributesOf,
  type FileFilter,
  isIssue,
  matchesFilter,
  parseFilter,
} from "../../server/pipeline/tools/file_search/file_filters.ts";
import type { WorkspaceFile } from "../../server/pipeline/tools/file_search/workspace_files.ts";
import { assertProperty, runs } from "../support/property.ts";

const names = ["a.md", "b.pdf", "ä.txt", "__proto__"];
const file: fc.Arbitrary<WorkspaceFile> = fc.record({
  workspaceId: fc.constant("w"),
  id: fc.constantFrom("tg_file_1", "tg_file_2"),
  filename: fc.constantFrom(...names),
  mimeType: fc.constantFrom("text/plain", "application/pdf"),
  size: fc.integer({ min: 0, max: 3 }),
  createdAt: fc.integer({ min: 0, max: 3 }).map((seconds) => seconds * 1_000),
  origin: fc.constantFrom("upload", "tool"),
  purpose: fc.constantFrom(null, "user_data"),
});

const key = fc.constantFrom(
  "filename",
  "mime_type",
  "bytes",
  "created_at",
  "purpose",
  "__proto__",
  "constructor",
);
const value = fc.constantFrom<(string | number)[]>(
  ...names,
  "text/plain",
  "user_data",
  0,
  1,
  2,
  "1970-01-01T00:00:02Z",
);
const single = fc.record({ type: fc.constantFrom("eq", "ne", "gt", "gte", "lt", "lte"), key, value });
const listed = fc.record({
  type: fc.constantFrom("in", "nin"),
  key,
  value: fc.array(value, { maxLength: 3 }),
});
const { filter } = fc.letrec((tie) => ({
  filter: fc.oneof(
    { depthSize: "small" },
    single,
    listed,
    fc.record({
      type: fc.constantFrom("and", "or"),
      filters: fc.array(tie("filter"), { minLength: 1, maxLength: 3 }),
    }),
  ),
}));

/** The attribute that the documents name, as a number or a text; undefined where there is none. */
function attribute(of: WorkspaceFile, name: string): string | number | undefined {
  if (name === "filename") return of.filename;
  if (name === "mime_type") return of.mimeType;
  if (name === "bytes") return of.size;
  if (name === "created_at") return of.createdAt / 1_000;
  return name === "purpose" ? of.purpose ?? undefined : undefined;
}

interface Compared {
  readonly other: string | number;
  readonly name: string;
}

function order(own: string | number | undefined, { other, name }: Compared): "<" | "=" | ">" | "none" {
  const given = name === "created_at" && typeof other === "string" ? Date.parse(other) / 1_000 : other;
  if (own === undefined || typeof own !== typeof given || Number.isNaN(given)) return "none";
  return own < given ? "<" : own > given ? ">" : "=";
}

const allowed: Readonly<Record<string, readonly string[]>> = {
  eq: ["="],
  ne: ["<", ">", "none"],
  gt: [">"],
  gte: [">", "="],
  lt: ["<"],
  lte: ["<", "="],
};

function expected(of: WorkspaceFile, one: FileFilter): boolean {
  if (one.type === "and" || one.type === "or") {
    const results = one.filters.map((inner) => expected(of, inner));
    return one.type === "and" ? !results.includes(false) : results.includes(true);
  }
  if (one.type === "in" || one.type === "nin") {
    const own = attribute(of, one.key);
    const isIn = one.value.some((value) => order(own, { other: value, name: one.key }) === "=");
    return one.type === "in" ? isIn : !isIn;
  }
  assert("value" in one && typeof one.value !== "boolean" && !Array.isArray(one.value));
  return allowed[one.type]?.includes(order(attribute(of, one.key), { other: one.value, name: one.key })) ===
    true;
}

Deno.test("matchesFilter agrees with a plain reading of random filters", () => {
  assertProperty(
    fc.property(filter, fc.array(file, { minLength: 1, maxLength: 5 }), (given, files) => {
      const parsed = parseFilter(given);
      assert(!isIssue(parsed), JSON.stringify(parsed));
      for (const one of files) {
        assert.equal(
          matchesFilter(attributesOf(one), parsed),
          expected(one, parsed),
          JSON.stringify({ given, one }),
        );
      }
    }),
    { numRuns: runs(500) },
  );
});
