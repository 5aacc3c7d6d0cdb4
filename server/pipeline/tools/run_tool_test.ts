import assert from "node:assert/strict";
import { ApiError } from "../../../shared/errors.ts";
import { emptyRequest } from "../../protocols/canonical/empty_request.ts";
import { runTool, type ToolRunOptions } from "./run_tool.ts";
import type { ToolDefinition } from "./tool_definition.ts";
import { ToolMemory } from "./tool_memory.ts";

function noServer(): never {
  throw new Error("no server is asked here");
}

const never = new Promise<string>(() => {});

const unexpected = () => Promise.reject(new Error("nothing is fetched here"));

const panel = { analysis_models: ["acme/one"] };

const options: ToolRunOptions = {
  text: "{}",
  settings: {},
  tools: [],
  deps: {
    clock: { now: () => 0, monotonic: () => 0, after: () => () => {} },
    models: () => [],
    web: { engines: [], search: unexpected, fetch: unexpected, read: unexpected, firstTokens: unexpected },
    fusionPresets: { "general-high": panel, "general-budget": panel, "general-fast": panel },
    containers: {
      unavailableReason: undefined,
      ready: Promise.resolve(),
      programs: undefined,
      open: unexpected,
      verify: unexpected,
    },
    mcp: {
      open: noServer,
      openKept: noServer,
      isPublic: () => false,
    },
  },
  session: { workspaceId: "w", keyHash: "k", sessionId: undefined, generation: "gen-1" },
  include: [],
  countCommands: () => {},
  memory: new ToolMemory(),
  limited: false,
  ms: 120_000,
  signal: new AbortController().signal,
  purchase: () => Promise.reject(new Error("nothing is bought here")),
  callModel: () => Promise.reject(new Error("no model is called here")),
  runModel: () => Promise.reject(new Error("no model is called here")),
  name: "tool",
  model: "acme/one",
  seesImages: false,
  depth: 0,
  transcript: [],
  request: emptyRequest,
  finder: { find: () => undefined, findAll: () => [], rank: () => ({ source: "price", ids: [] }) },
  emit: undefined,
  addStage: () => {},
  ended: never,
};

const toolOf = (run: ToolDefinition["run"]): ToolDefinition => ({
  kind: "datetime",
  describe: () => ({ parameters: null }),
  itemFields: ({ a = "none" }) => ({ a }),
  failedStatus: "failed",
  run,
});

const errorIn = (output: string): unknown => JSON.parse(output).error;

Deno.test("runTool gives what the tool says, over the fields of its call", async () => {
  const tool = toolOf(({ args }) => Promise.resolve({ output: `got ${args.a}`, fields: { b: 2 } }));
  const { outcome, fault } = await runTool(tool, { ...options, text: '{"a":1}' });
  assert.deepEqual(outcome, { output: "got 1", fields: { a: 1, b: 2 } });
  assert.equal(fault, undefined);
});

Deno.test("runTool tells the model why a tool came to nothing", async () => {
  const refused = toolOf(() => Promise.reject(new ApiError("upstream_failed", "The engine is down.")));
  const { outcome, fault } = await runTool(refused, options);
  assert.equal(outcome.failed, true);
  assert.equal(errorIn(outcome.output), "The engine is down.");
  assert.equal(fault, undefined);
});

Deno.test("runTool keeps the words of a fault of the gateway's from the model", async () => {
  for (
    const run of [
      () => Promise.reject(new TypeError("secret")),
      (): Promise<never> => {
        throw new TypeError("secret");
      },
    ]
  ) {
    const { outcome, fault } = await runTool(toolOf(run), options);
    assert.equal(errorIn(outcome.output), "The tool failed.");
    assert.ok(fault instanceof TypeError);
  }
});

Deno.test("runTool ends a tool that hangs when it has to end", async () => {
  const hangs = toolOf(() => new Promise(() => {}));
  const ended = Promise.resolve("The tool took longer than 120 s.");
  const { outcome } = await runTool(hangs, { ...options, ended });
  assert.equal(errorIn(outcome.output), "The tool took longer than 120 s.");
});

Deno.test("runTool tells what is wrong with arguments", async () => {
  const tool = { ...toolOf(() => never as never), check: () => "a is missing." };
  for (const text of ["[]", "5", "{", '"x"']) {
    const { outcome } = await runTool(tool, { ...options, text });
    assert.equal(errorIn(outcome.output), "The arguments are not a JSON object.");
  }
  assert.equal(errorIn((await runTool(tool, { ...options, text: "" })).outcome.output), "a is missing.");
});

Deno.test("runTool cuts a result of 10 MB in the middle", async () => {
  const text = `start${"ü".repeat(5_000_000)}end`;
  const { outcome: { output } } = await runTool(
    toolOf(() => Promise.resolve({ output: text, fields: {} })),
    options,
  );
  const bytes = new TextEncoder().encode(output).length;
  assert.ok(bytes <= 64 * 1024 && bytes > 63 * 1024, `${bytes} bytes`);
  assert.ok(output.startsWith("startü") && output.endsWith("üend"));
  assert.match(output, /bytes left out/);
  assert.ok(!output.includes("\uFFFD"), "no character is halved");
});
