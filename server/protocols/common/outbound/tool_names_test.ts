import assert from "node:assert/strict";
import type { Tool } from "../../canonical/request.ts";
import { findTool, flattenTools, isCompleteName, toolByWireName, wireNameOf } from "./tool_names.ts";

const fn = (name: string): Tool & { readonly type: "function" } => ({
  type: "function",
  name,
  parameters: null,
});
const custom = (name: string): Tool & { readonly type: "custom" } => ({ type: "custom", name });
const space = (
  name: string,
  ...tools: readonly (ReturnType<typeof fn> | ReturnType<typeof custom>)[]
): Tool => ({
  type: "namespace",
  name,
  tools,
});

const wireNames = (tools: readonly Tool[]) => flattenTools(tools).tools.map(({ wireName }) => wireName);

Deno.test("flattenTools keeps legal names and joins namespaces", () => {
  assert.deepEqual(
    wireNames([fn("get_weather"), custom("apply_patch"), space("mcp", fn("read"), custom("run"))]),
    [
      "get_weather",
      "apply_patch",
      "mcp__read",
      "mcp__run",
    ],
  );
});

Deno.test("flattenTools puts a letter in front of digits and hyphens where a wire wants it, and nowhere else", () => {
  const long = "9".repeat(64);
  const tools = [fn("t2fa"), fn("2fa"), fn("_3"), fn("-x"), space("3d", fn("show")), fn(long), fn("ok")];
  const names = flattenTools(tools, "letter_first");
  const given = names.tools.map(({ wireName }) => wireName);
  assert.deepEqual(given.filter((_, at) => at !== 1 && at !== 5), ["t2fa", "_3", "t-x", "t3d__show", "ok"]);
  assert.equal(new Set(given).size, tools.length);
  for (const name of given) assert.match(name, /^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$/);
  for (const { reference, wireName } of names.tools) {
    assert.deepEqual(toolByWireName(names, wireName), reference);
    assert.equal(wireNameOf(names, reference), wireName);
  }
  assert.equal(wireNameOf(flattenTools([], "letter_first"), { kind: "function", name: "1st" }), "t1st");
  assert.deepEqual(wireNames([fn("2fa")]), ["2fa"]);
});

Deno.test("flattenTools makes every name legal, unlike any other, and the same each time", () => {
  const long = "x".repeat(80);
  const tools = [
    space("a", fn("b")),
    fn("a__b"),
    custom("a__b"),
    fn("größe messen"),
    fn("gr_ße messen"),
    fn(long),
    fn(`${long}y`),
    space(long, fn(long)),
    fn(""),
    fn("constructor"),
    custom("constructor"),
    fn("__proto__"),
  ];
  const names = wireNames(tools);
  assert.deepEqual(names, wireNames(tools));
  assert.equal(new Set(names).size, tools.length);
  for (const name of names) assert.match(name, /^[a-zA-Z0-9_-]{1,64}$/);
  assert.equal(names[1], "a__b", "a top-level tool keeps its name though a namespace's comes first");
  assert.equal(names[9], "constructor");
  const found = flattenTools(tools);
  for (const tool of found.tools) {
    assert.deepEqual(toolByWireName(found, tool.wireName), tool.reference);
    assert.equal(wireNameOf(found, tool.reference), tool.wireName);
  }
});

Deno.test("flattenTools lists what cannot be flattened", () => {
  const names = flattenTools([
    { type: "hosted", wire: "responses", kind: "web_search", value: { type: "web_search" } },
    { type: "server", kind: "datetime", originalType: "gateway:datetime", parameters: {} },
    fn("one"),
    fn("one"),
  ]);
  assert.deepEqual(names.tools.map(({ wireName }) => wireName), ["one"]);
  assert.deepEqual(names.dropped, ["tool web_search", "tool gateway:datetime", "second tool one"]);
});

Deno.test("findTool takes a bare name for a tool of a namespace if only one has it", () => {
  const names = flattenTools([space("a", fn("read"), fn("write")), space("b", fn("read"))]);
  assert.equal(findTool(names, { kind: "function", name: "write" })?.wireName, "a__write");
  assert.equal(findTool(names, { kind: "function", name: "read" }), undefined);
  assert.equal(findTool(names, { kind: "custom", name: "write" }), undefined);
  assert.equal(findTool(names, { kind: "function", name: "read", namespace: "b" })?.wireName, "b__read");
});

Deno.test("names that were never offered stand for themselves", () => {
  const names = flattenTools([]);
  assert.deepEqual(toolByWireName(names, "made_up"), { kind: "function", name: "made_up" });
  assert.equal(wireNameOf(names, { kind: "function", name: "old", namespace: "gone" }), "gone__old");
});

Deno.test("isCompleteName waits while another tool's name goes on", () => {
  const names = flattenTools([fn("get"), fn("get_weather")]);
  assert.equal(isCompleteName(names, "get"), false);
  assert.equal(isCompleteName(names, "get_weather"), true);
  assert.equal(isCompleteName(names, "get_we"), false);
});

Deno.test("flattenTools is worked out once for a list, and anew for another that says the same", () => {
  const tools = [{ type: "function", name: "look", parameters: null }] as const;
  const first = flattenTools(tools);
  assert.equal(flattenTools(tools), first);
  const others = [{ ...tools[0], name: "see" }] as const;
  assert.deepEqual([...flattenTools(others).byWireName.keys()], ["see"]);
  assert.deepEqual(flattenTools([...tools]), first);
});
