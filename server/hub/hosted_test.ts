import assert from "node:assert/strict";
import { type Asked, bounded, hostedOf } from "./hosted.ts";
import type { HostedTool, Tool } from "./request.ts";

const tool = (kind: string, value: HostedTool["value"] = {}): HostedTool => ({
  type: "hosted",
  wire: kind === "web_search" ? "responses" : "messages",
  kind,
  value: { type: kind, ...value },
});
const usesIn = (tools: readonly Tool[]) =>
  tools.map((one) => one.type === "hosted" ? one.value.max_uses : undefined);

Deno.test("hostedOf reckons with as many uses as are asked for, up to a thousand in all", () => {
  assert.equal(hostedOf({ tools: [tool("web_search_20250305")] }).searches, 5);
  assert.equal(hostedOf({ tools: [tool("web_search_20250305", { max_uses: 40 })] }).searches, 40);
  const many = Array.from(
    { length: 300 },
    () => tool("web_search_20250305", { max_uses: Number.MAX_SAFE_INTEGER }),
  );
  assert.equal(hostedOf({ tools: many.slice(0, 1) }).searches, 1_000);
  assert.ok(hostedOf({ tools: many }).searches <= 1_300);
});

Deno.test("bounded tells providers how often their tools may be used", () => {
  const tools = [
    tool("web_search_20250305"),
    tool("web_fetch_20250910", { max_uses: 7 }),
    tool("bash_20250124"),
    { type: "function", name: "f", parameters: null } as const,
  ];
  const told = bounded<Asked>({ tools });
  assert.deepEqual(usesIn(told.tools), [5, 7, undefined, undefined]);
  assert.equal(told.maxToolCalls, 12);
  assert.deepEqual(usesIn(bounded({ tools: [tool("web_search_20250305", { max_uses: 1e12 })] }).tools), [
    1_000,
  ]);
  const search: Asked = { tools: [tool("web_search")] };
  assert.equal(bounded(search).maxToolCalls, 5);
  assert.equal(bounded({ ...search, maxToolCalls: 2 }).maxToolCalls, 2);
  assert.equal(bounded({ ...search, maxToolCalls: 50 }).maxToolCalls, 5, "no more is reserved");
  const plain = { tools: [] };
  assert.equal(bounded(plain), plain);
});
