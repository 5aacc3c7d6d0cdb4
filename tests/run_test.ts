/** The runner of the tests: what does not end fails by its name, and the random suites are complete. */

import assert from "node:assert/strict";
import { runsAlone } from "./run.ts";
import { asObject } from "./support/event_stream.ts";
import { randomSuites } from "./support/random_suites.ts";
import { testFiles } from "./support/test_files.ts";
import { limitOf, longer } from "./support/time_limits.ts";

const root = new URL("../", import.meta.url);
const here = (path: string) => JSON.stringify(new URL(path, import.meta.url).href);

interface Run {
  readonly passed: unknown;
  readonly failed: unknown;
  readonly ok: unknown;
  readonly errors: unknown;
  readonly output: string;
}

interface RunSettings {
  readonly parallel: boolean;
  readonly silenceMs: number;
}

/** Runs files with tests, each of which may take a second. */
async function runOf(sources: Readonly<Record<string, string>>, settings: RunSettings): Promise<Run> {
  const folder = await Deno.makeTempDir();
  try {
    const files = Object.keys(sources);
    const program = `import { runTests } from ${here("support/test_process.ts")};
      const result = await runTests(${JSON.stringify(files)}, ${JSON.stringify(settings)});
      console.log("\\n" + JSON.stringify(result));`;
    for (const [name, source] of Object.entries({ ...sources, "run.ts": program })) {
      await Deno.writeTextFile(`${folder}/${name}`, source);
    }
    const { stdout } = await new Deno.Command(Deno.execPath(), {
      args: ["run", "--config", new URL("deno.json", import.meta.url).pathname, "--no-check", "-A", "run.ts"],
      cwd: folder,
      env: { NO_COLOR: "1", TOLLGATE_TEST_SECONDS: "1" },
      stderr: "null",
    }).output();
    const output = new TextDecoder().decode(stdout);
    const { passed, failed, ok, errors } = asObject(JSON.parse(output.trim().split("\n").at(-1) ?? ""));
    return { passed, failed, ok, errors, output };
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

const endless: Readonly<Record<string, string>> = {
  "waits for what never comes": `() => new Promise((resolve) => setTimeout(resolve, 600_000))`,
  "loops and lets nothing else run": `() => { for (;;); }`,
  "waits in a step": `(t) => t.step("one", () => new Promise((resolve) => setTimeout(resolve, 600_000)))`,
  "matches without an end": `() => /^(?:(a+)\\1?)+$/.test("a".repeat(60) + "b")`,
};

for (const parallel of [false, true]) {
  const how = parallel ? "beside others" : "one after the other";
  Deno.test(`a test that passes its time fails by its name, and those behind it run, ${how}`, async () => {
    const tests = Object.entries(endless).map(([name, body]) => `Deno.test("${name}", ${body});`);
    const last = `Deno.test("comes last", () => {});`;
    const { passed, failed, ok, errors, output } = await runOf({
      "endless_test.ts": [...tests, last].join("\n"),
      "other_test.ts": last,
    }, { parallel, silenceMs: 60_000 });
    assert.deepEqual({ passed, failed, ok }, { passed: 2, failed: tests.length, ok: false }, output);
    for (const [at, name] of Object.keys(endless).entries()) {
      const stands = `${name} => ./endless_test.ts:${at + 1}:6\nerror: Test timed out after 1000ms.`;
      assert(output.includes(stands), `${stands}\n\n${output}`);
      assert(String(errors).includes(stands), `${stands}\n\n${errors}`);
    }
  });

  Deno.test(`a file that never gets to its tests is ended and named, ${how}`, async () => {
    const { ok, errors, output } = await runOf({
      "fine_test.ts": `Deno.test("fine", () => {});`,
      "stuck_test.ts": `for (;;);`,
    }, { parallel, silenceMs: 5_000 });
    assert.equal(ok, false);
    const said = /^FAILED: nothing was heard of these tests for 5 s.*: stuck_test\.ts$/m;
    assert.match(output, said);
    assert.match(String(errors), said);
  });
}

Deno.test("limitOf gives a test five minutes, and more only to campaigns that exist", async () => {
  const files = await testFiles(root);
  assert.equal(limitOf("tests/run_test.ts"), 300_000);
  for (const [path, seconds] of longer) {
    const named = files.filter((file) => file === path || path.endsWith("/") && file.startsWith(path));
    assert(named.length > 0, `${path} has no tests`);
    assert(seconds > 300);
    for (const file of named) assert.equal(limitOf(file), seconds * 1_000);
  }
});

Deno.test("randomSuites finds every suite that draws its cases", async () => {
  const files = await testFiles(root);
  const found = new Set(await randomSuites(root, files));
  const drawing =
    /^import fc from ["]fast-check"|^\s*(?:await |const random = )?(?:assertProperty|seeded)\(/m;
  for (const file of files) {
    const text = await Deno.readTextFile(new URL(file, root));
    const named = /_(?:property|fuzz)_test\.tsx?$/.test(file);
    if (named || drawing.test(text)) {
      assert(found.has(file), `${file} takes no seed of tests/support/seed.ts`);
    }
  }
  assert(found.size > 40, `${found.size}`);
});

Deno.test("files that measure the memory or the sockets of the process run alone", async () => {
  const measuring = /\brss\b|\bhandles\(\)/;
  const found: string[] = [];
  for (const file of await testFiles(root)) {
    if (file === "tests/run_test.ts" || !measuring.test(await Deno.readTextFile(new URL(file, root)))) {
      continue;
    }
    found.push(file);
    assert(runsAlone(file), `${file} is not in tests/run.ts`);
  }
  assert(found.length >= 10, found.join());
});
