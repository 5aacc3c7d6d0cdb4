import assert from "node:assert/strict";
import { normalizeUsage, type Usage } from "../../protocols/canonical/usage.ts";
import type { JsonObject, PassthroughItem } from "../../protocols/canonical/item.ts";
import type { Tool } from "../../protocols/canonical/request.ts";
import { ToolUseCounter } from "./tool_use_counter.ts";

const item = (kind: string, value: JsonObject = {}): PassthroughItem => ({
  type: "foreign",
  wire: "responses",
  kind,
  value: { type: kind, ...value },
});

interface Reported {
  readonly usage?: Usage;
  readonly tools?: readonly Tool[];
}

function after(items: readonly PassthroughItem[], { usage, tools = [] }: Reported = {}) {
  const uses = new ToolUseCounter();
  for (const one of items) uses.add(one);
  const { webSearches, fileSearches, codeContainers } = uses.addTo(
    usage ?? normalizeUsage({ inputTokens: 1, outputTokens: 1, estimated: true }),
    { tools },
  );
  return [webSearches, fileSearches, codeContainers];
}

Deno.test("ToolUseCounter counts what no usage tells", () => {
  const container = (name?: string) => item("code_interpreter_call", { container_id: name });
  const shell = (environment: unknown) => item("shell_call", { environment });
  const cases: readonly (readonly [readonly PassthroughItem[], readonly (number | undefined)[]])[] = [
    [[item("mcp_call"), item("computer_call")], [undefined, undefined, undefined]],
    [[item("file_search_call"), item("file_search_call")], [undefined, 2, undefined]],
    [[container("a"), container("a"), container("b")], [undefined, undefined, 2]],
    [[container(), container()], [undefined, undefined, 1]],
    [[shell({ type: "local" }), shell(null), shell(undefined)], [undefined, undefined, undefined]],
    [[shell({ type: "container_reference", container_id: "a" }), container("a")], [undefined, undefined, 1]],
  ];
  for (const [items, counts] of cases) assert.deepEqual(after(items), counts);
});

Deno.test("ToolUseCounter counts searches only where the provider did not", () => {
  const three = Array.from({ length: 3 }, () => item("web_search_call"));
  assert.deepEqual(after(three), [3, undefined, undefined]);
  const usage = normalizeUsage({ inputTokens: 1, outputTokens: 1, webSearches: 2 });
  assert.deepEqual(after(three, { usage }), [2, undefined, undefined]);
  const none = normalizeUsage({ inputTokens: 1, outputTokens: 1 });
  assert.deepEqual(after(three, { usage: none }), [undefined, undefined, undefined]);
});

Deno.test("ToolUseCounter tells searches from what is done in pages", () => {
  const calls = (...types: readonly string[]) =>
    types.map((type) => item("web_search_call", { action: { type } }));
  assert.deepEqual(after(calls("search", "open_page", "find_in_page", "find")), [1, undefined, undefined]);
  assert.deepEqual(after(calls("open_page", "open_page")), [undefined, undefined, undefined]);
  const extra = { messages: { blocks: [] } };
  const fetched = calls("open_page", "search").map((call) => ({ ...call, extra }));
  assert.deepEqual(after(fetched), [1, undefined, undefined]);
});

Deno.test("ToolUseCounter counts a larger container as as many small ones", () => {
  const value = { type: "code_interpreter", container: { type: "auto", memory_limit: "16g" } };
  const tools: readonly Tool[] = [{ type: "hosted", wire: "responses", kind: "code_interpreter", value }];
  assert.deepEqual(after([item("code_interpreter_call")], { tools }), [undefined, undefined, 16]);
});
