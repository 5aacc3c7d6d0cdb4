import assert from "node:assert/strict";
import { tickingClock } from "../../../tests/support/ticking_clock.ts";
import { PATIENCE_MS } from "../../../tests/support/until.ts";
import { ChildRun, type RunResult } from "./child_run.ts";
import { type Program, programs } from "./programs.ts";

/** Runs a script as the reader is run, with other limits. */
async function run(
  script: string,
  { limits, input = "" }: { readonly limits?: Partial<Program>; readonly input?: string } = {},
): Promise<RunResult> {
  const file = await Deno.makeTempFile({ suffix: ".js" });
  try {
    await Deno.writeTextFile(file, script);
    const { reader } = programs;
    const program = { ...reader, timeMs: PATIENCE_MS, args: [...reader.args.slice(0, -1), file], ...limits };
    const env = { DENO_DIR: "/nowhere" };
    return await new ChildRun({
      program,
      input: new TextEncoder().encode(input),
      env,
      clock: tickingClock(),
    }).result;
  } finally {
    await Deno.remove(file);
  }
}

const text = ({ output }: RunResult) => new TextDecoder().decode(output);

Deno.test("ChildRun hands input and output on", async () => {
  const result = await run("Deno.stdout.write(await new Response(Deno.stdin.readable).bytes())", {
    input: "hello",
  });
  assert.deepEqual([result.outcome, text(result)], ["done", "hello"]);
});

Deno.test("ChildRun gives a program no permission", async () => {
  const result = await run(`
    const names = ["read", "write", "net", "env", "run", "sys", "ffi", "import"];
    const states = names.map((name) => Deno.permissions.querySync({ name }).state);
    let read = "read";
    try { Deno.readTextFileSync("/etc/passwd"); } catch (error) { read = error.name; }
    console.log(JSON.stringify({ granted: states.filter((state) => state === "granted"), read }));
  `);
  assert.deepEqual(JSON.parse(text(result)), { granted: [], read: "NotCapable" });
});

Deno.test("ChildRun ends a program at its limits of time and output", async () => {
  const late = await run("for (;;);", { limits: { timeMs: 500 } });
  assert.deepEqual([late.outcome, late.output.length], ["time_limit", 0]);
  const loud = await run("for (;;) console.log('x'.repeat(1000));", { limits: { outputBytes: 10_000 } });
  assert.deepEqual([loud.outcome, loud.output.length], ["output_limit", 0]);
});

Deno.test("ChildRun tells a full heap from a program that fails", async () => {
  const full = await run("const all = []; for (;;) all.push(new Array(1e6).fill({}));");
  assert.equal(full.outcome, "memory_limit");
  const failed = await run("throw new Error('because')");
  assert.equal(failed.outcome, "failed");
  assert.match(failed.errorText, /because/);
});

Deno.test("ChildRun does not fail with input that nobody reads", async () => {
  const result = await run("Deno.exit(3)", { input: "x".repeat(1_000_000) });
  assert.equal(result.outcome, "failed");
});
