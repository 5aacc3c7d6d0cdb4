import assert from "node:assert/strict";
import { capHostedToolCalls, hostedToolBound, type HostedToolRequest } from "./hosted_tools.ts";
import type { HostedTool, Tool } from "../../protocols/canonical/request.ts";

const tool = (kind: string, value: HostedTool["value"] = {}): HostedTool => ({
  type: "hosted",
  wire: kind === "web_search" ? "responses" : "messages",
  kind,
  value: { type: kind, ...value },
});
const usesIn = (tools: readonly Tool[]) =>
  tools.map((one) => one.type === "hosted" ? one.value.max_uses : undefined);

Deno.test("hostedToolBound reckons with as many uses as are asked for, up to a thousand in all", () => {
  assert.equal(hostedToolBound({ tools: [tool("web_search_20250305")] }, "messages").maxSearches, 5);
  assert.equal(
    hostedToolBound({ tools: [tool("web_search_20250305", { max_uses: 40 })] }, "messages").maxSearches,
    40,
  );
  const many = Array.from(
    { length: 300 },
    () => tool("web_search_20250305", { max_uses: Number.MAX_SAFE_INTEGER }),
  );
  assert.equal(hostedToolBound({ tools: many.slice(0, 1) }, "messages").maxSearches, 1_000);
  assert.ok(hostedToolBound({ tools: many }, "messages").maxSearches <= 1_300);
});

Deno.test("bounded tells providers how often their tools may be used", () => {
  const tools = [
    tool("web_search_20250305"),
    tool("web_fetch_20250910", { max_uses: 7 }),
    tool("bash_20250124"),
    { type: "function", name: "f", parameters: null } as const,
  ];
  const capped = capHostedToolCalls<HostedToolRequest>({ tools }, "messages");
  assert.deepEqual(usesIn(capped.tools), [5, 7, undefined, undefined]);
  assert.equal(capped.maxToolCalls, 12);
  const endless = { tools: [tool("web_search_20250305", { max_uses: 1e12 })] };
  assert.deepEqual(usesIn(capHostedToolCalls(endless, "messages").tools), [1_000]);
  const search: HostedToolRequest = { tools: [tool("web_search")] };
  assert.equal(capHostedToolCalls(search, "responses").maxToolCalls, 5);
  assert.equal(capHostedToolCalls({ ...search, maxToolCalls: 2 }, "responses").maxToolCalls, 2);
  assert.equal(
    capHostedToolCalls({ ...search, maxToolCalls: 50 }, "responses").maxToolCalls,
    5,
    "no more is reserved",
  );
  const plain = { tools: [] };
  assert.equal(capHostedToolCalls(plain, "responses"), plain);
  assert.equal(capHostedToolCalls(search, "chat"), search, "it is not offered there");
});

Deno.test("hostedToolBound tells by which rates the provider's own tools are charged", () => {
  const own = (kind: string, value: HostedTool["value"] = {}): HostedTool => ({
    type: "hosted",
    wire: "responses",
    kind,
    value,
  });
  const cases: readonly (readonly [HostedTool, readonly string[] | undefined])[] = [
    [own("web_search"), ["webSearch"]],
    [own("web_search_preview_2025_03_11"), ["webSearch"]],
    [own("file_search"), ["fileSearch"]],
    [own("code_interpreter", { container: { type: "auto" } }), ["codeInterpreter"]],
    [own("shell", { environment: { type: "container_auto" } }), ["codeInterpreter"]],
    [own("shell", { environment: { type: "local" } }), undefined],
    [own("shell"), undefined],
    [own("image_generation"), ["imageOutput", "outputImage"]],
    [own("mcp"), undefined],
    [own("tool_search"), undefined],
    [own("local_shell"), undefined],
    [own("computer_use_preview"), undefined],
    [own("something_new"), []],
  ];
  for (const [one, rates] of cases) {
    const charged = hostedToolBound({ tools: [one] }, "responses").pricedUses.map((each) => each.rates);
    assert.deepEqual(charged, rates === undefined ? [] : [rates], one.kind);
    assert.deepEqual(hostedToolBound({ tools: [one] }, "chat").pricedUses, [], "it is not offered there");
  }
});

Deno.test("hostedToolBound counts a larger container as as many small ones", () => {
  const sizeOf = (container: unknown) => {
    const code: HostedTool = {
      type: "hosted",
      wire: "responses",
      kind: "code_interpreter",
      value: { container },
    };
    return hostedToolBound({ tools: [code] }, "responses").containerSize;
  };
  assert.equal(sizeOf("cntr_1"), 1);
  assert.equal(sizeOf({ type: "auto" }), 1);
  assert.equal(sizeOf({ type: "auto", memory_limit: "4g" }), 4);
  assert.equal(sizeOf({ type: "auto", memory_limit: "64g" }), 64);
  assert.equal(sizeOf({ type: "auto", memory_limit: "1000g" }), 64, "the most that is published");
});

Deno.test("hostedToolBound reckons with as many passages as a search of files may find", () => {
  const tokensOf = (value: HostedTool["value"], ...others: readonly string[]) => {
    const files: HostedTool = { type: "hosted", wire: "responses", kind: "file_search", value };
    const tools = [files, ...others.map((kind): HostedTool => ({ ...files, kind, value: {} }))];
    return hostedToolBound({ tools }, "responses").searchTokens;
  };
  assert.equal(tokensOf({}), 20 * 4_096);
  assert.equal(tokensOf({ max_num_results: 50 }), 50 * 4_096);
  assert.equal(tokensOf({ max_num_results: 1_000 }), 50 * 4_096);
  assert.equal(tokensOf({ max_num_results: 1 }), 16_384, "the least of any search");
  assert.equal(tokensOf({ max_num_results: 1 }, "code_interpreter"), 131_072);
});

Deno.test("hostedToolBound reckons with no fewer uses than the provider is told of", () => {
  const own = (kind: string, value: HostedTool["value"] = {}): HostedTool => ({
    type: "hosted",
    wire: "messages",
    kind,
    value,
  });
  const cases: readonly (readonly [readonly HostedTool[], number | undefined, readonly unknown[], number])[] =
    [
      [[own("web_search_20250305", { max_uses: 40 })], 1, [1], 1],
      [[own("web_search_20250305", { max_uses: 40 })], 30, [30], 30],
      [[own("web_search_20250305"), own("web_fetch_20250910")], 2, [2, 2], 4],
      [[own("code_execution_20250825")], 1, [undefined], 10],
      [[own("code_execution_20250825"), own("web_search_20250305")], undefined, [undefined, 5], 15],
    ];
  for (const [tools, maxToolCalls, uses, searches] of cases) {
    assert.deepEqual(
      usesIn(capHostedToolCalls<HostedToolRequest>({ tools, maxToolCalls }, "messages").tools),
      uses,
    );
    assert.equal(hostedToolBound({ tools, maxToolCalls }, "messages").maxSearches, searches);
  }
});

Deno.test("hostedToolBound reckons with every tool as often as all of them may be used", () => {
  const own = (kind: string): HostedTool => ({ type: "hosted", wire: "responses", kind, value: {} });
  const tools = [own("web_search"), own("image_generation")];
  for (const [maxToolCalls, most] of [[undefined, 5], [3, 3], [30, 5]] as const) {
    const { maxSearches, maxImages } = hostedToolBound(
      { tools, maxToolCalls },
      "responses",
    );
    assert.deepEqual([maxSearches, maxImages], [most, most]);
    assert.equal(
      capHostedToolCalls<HostedToolRequest>({ tools, maxToolCalls }, "responses").maxToolCalls,
      most,
    );
  }
});
