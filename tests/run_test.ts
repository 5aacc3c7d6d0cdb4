/** The runner of the tests: what does not end fails by its name, and the random suites are complete. */

import assert from "node:assert/strict";
import { asObject } from "./support/event_stream.ts";
import { type FileTime, fileTimes, processesText, slowestText } from "./support/test_times.ts";
import { randomSuites } from "./support/random_suites.ts";
import { runsAlone } from "./support/series.ts";
import type { RunOptions } from "./support/test_process.ts";
import { testFiles } from "./support/test_files.ts";
import { limitOf, longer, TIME_FACTOR } from "./support/time_limits.ts";

const root = new URL("../", import.meta.url);
const here = (path: string) => JSON.stringify(new URL(path, import.meta.url).href);

interface Run {
  readonly passed: unknown;
  readonly failed: unknown;
  readonly ok: unknown;
  readonly errors: unknown;
  readonly times: unknown;
  readonly output: string;
}

type RunSettings = Pick<RunOptions, "parallel" | "wholeFiles" | "silenceMs">;

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
      env: { NO_COLOR: "1", TOLLGATE_TEST_SECONDS: "1", TOLLGATE_TEST_TIME_FACTOR: "1" },
      stderr: "null",
    }).output();
    const output = new TextDecoder().decode(stdout);
    const { passed, failed, ok, errors, times } = asObject(
      JSON.parse(output.trim().split("\n").at(-1) ?? ""),
    );
    return { passed, failed, ok, errors, times, output };
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
      // A test that is ended while Deno makes the timers ready, on a busy machine, would leave them broken.
      "endless_test.ts": [...tests, last, "void setTimeout;"].join("\n"),
      "other_test.ts": last,
    }, { parallel, silenceMs: 60_000 });
    assert.deepEqual({ passed, failed, ok }, { passed: 2, failed: tests.length, ok: false }, output);
    for (const [at, name] of Object.keys(endless).entries()) {
      const stands = `${name} => ./endless_test.ts:${at + 1}:6\nerror: Test timed out after 1000ms.`;
      assert(output.includes(stands), `${stands}\n\n${output}`);
      assert(String(errors).includes(stands), `${stands}\n\n${errors}`);
    }
  });

  Deno.test(`the times of files are read from what Deno prints, ${how}`, async () => {
    const { times, output } = await runOf({
      "steps_test.ts":
        `Deno.test("one", async (t) => { console.log("said"); await t.step("two", () => {}); });`,
      "failing_test.ts": `Deno.test("bad", async (t) => { await t.step("x", () => { throw 1; }); });`,
      "ignored_test.ts": `Deno.test({ name: "left out", ignore: true, fn() {} });`,
    }, { parallel, silenceMs: 60_000 });
    assert.ok(Array.isArray(times), output);
    const files = times.map((time) => asObject(time).file).sort();
    assert.deepEqual(files, ["failing_test.ts", "steps_test.ts"], output);
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

const printed: Readonly<Record<string, readonly string[]>> = {
  "one after the other": [
    "running 3 tests from ./tests/a_test.ts",
    "outer ...",
    "------- output -------",
    "said",
    "----- output end -----",
    "  inner ...",
    "    deep ... ok (1s)",
    "  inner ... ok (1s)",
    "outer ... ok (1m2s)",
    "odd ... ok (5m) ... FAILED (due to 1 failed step) (20ms)",
    "left out ... ignored (0ms)",
    "running 1 test from ./server/b_test.ts",
    "quick ... ok (500µs)",
  ],
  "beside others": [
    "./server/b_test.ts => quick ... ok (500µs)",
    "./tests/a_test.ts => outer ... inner ... deep ... ok (1s)",
    "./tests/a_test.ts => outer ... inner ... ok (1s)",
    "./tests/a_test.ts => outer ... ok (1m2s)",
    "./tests/a_test.ts => odd ... ok (5m) ... FAILED (due to 1 failed step) (20ms)",
    "./tests/a_test.ts => left out ... ignored (0ms)",
  ],
};

for (const [how, lines] of Object.entries(printed)) {
  Deno.test(`fileTimes adds the tests of a file without their steps, ${how}`, () => {
    const times = new Map(fileTimes(lines.join("\n")).map(({ file, ms }) => [file, ms]));
    assert.deepEqual(times, new Map([["tests/a_test.ts", 62_020], ["server/b_test.ts", 0.5]]));
  });
}

Deno.test("slowestText names the ten files whose tests took longest, and none beside a single one", () => {
  const times = Array.from({ length: 12 }, (_, at): FileTime => ({ file: `f${at}_test.ts`, ms: at * 1_250 }));
  const lines = slowestText(times).split("\n");
  assert.equal(lines.length, 11);
  assert.match(lines[1] ?? "", /^ +13\.8 s {2}f11_test\.ts$/);
  assert.match(lines[10] ?? "", /^ +2\.5 s {2}f2_test\.ts$/);
  assert.equal(slowestText(times.slice(0, 1)), "");
});

Deno.test("processesText says how long each process ran, and nothing of a single one", () => {
  const processes = [{ name: "parallel", ms: 61_500 }, { name: "browser", ms: 840 }];
  assert.equal(processesText(processes), "Processes of tests:\n   61.5 s  parallel\n    0.8 s  browser");
  assert.equal(processesText(processes.slice(1)), "");
});

Deno.test("a process beside another one shows all of its output, a file at a time", async () => {
  const { passed, output } = await runOf({
    "a_test.ts": `Deno.test("one", () => console.log("said of one")); Deno.test("two", () => {});`,
    "b_test.ts": `console.log("at first"); Deno.test("three", () => {});`,
  }, { wholeFiles: true, silenceMs: 60_000 });
  assert.equal(passed, 3, output);
  for (
    const line of ["said of one", "at first", "one ... ok", "two ... ok", "three ... ok", "ok | 3 passed"]
  ) {
    assert.equal(output.split(line).length, 2, `${line}\n\n${output}`);
  }
});

Deno.test("limitOf gives a test five minutes, and more only to campaigns that exist", async () => {
  const files = await testFiles(root);
  assert.equal(limitOf("tests/run_test.ts"), 300_000 * TIME_FACTOR);
  for (const [path, seconds] of longer) {
    const named = files.filter((file) => file === path || path.endsWith("/") && file.startsWith(path));
    assert(named.length > 0, `${path} has no tests`);
    assert(seconds > 300);
    for (const file of named) assert.equal(limitOf(file), seconds * 1_000 * TIME_FACTOR);
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
    assert(runsAlone(file), `${file} is not in tests/support/series.ts`);
  }
  assert(found.length >= 10, found.join());
});
