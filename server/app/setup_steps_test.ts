import assert from "node:assert/strict";
import { runSetup, type SetupRun } from "./setup_steps.ts";

interface SetupRig {
  /** Printed by the step that fetches Python packages. */
  readonly output?: string;
  readonly args?: readonly string[];
}

/** Runs a setup in which the steps fail whose arguments have one of `failing`. */
async function setup(
  failing: readonly string[],
  { output = "Fetched: Python packages for containers: numpy\n", args = [] }: SetupRig = {},
) {
  const lines: string[] = [];
  const run = (args: readonly string[]): Promise<SetupRun> => {
    const success = !failing.some((part) => args.some((arg) => arg.includes(part)));
    const isPython = args.at(-1) === "server/app/setup_python.ts";
    return Promise.resolve({ success, output: isPython ? output : "" });
  };
  const print = (line: string) => lines.push(line);
  const status = await runSetup({ denoVersion: Deno.version.deno, run, print, args });
  return { status, lines, missing: lines.filter((line) => /^Not (?:fetched|tried)/.test(line)) };
}

Deno.test("runSetup names each thing that it has fetched, and ends with status 0", async () => {
  const { status, lines, missing } = await setup([]);
  assert.equal(status, 0);
  assert.deepEqual(missing, []);
  assert.equal(lines.filter((line) => line.startsWith("Fetched: ")).length, 6);
  assert.equal(lines.at(-1), "The setup is complete.");
});

const needed = [
  ["main.ts", /^Not fetched: the gateway's packages; the gateway does not start/],
  ["server/web/reader", /^Not fetched: the packages that read pages/],
  ["server/sandbox", /^Not fetched: the packages that run commands/],
  ["console/build.ts", /^Not fetched: the console; it is not built/],
] as const;

for (const [part, sentence] of needed) {
  Deno.test(`runSetup goes on without ${part}, says so, and ends with status 1`, async () => {
    const { status, lines, missing } = await setup([part]);
    assert.equal(status, 1);
    assert.match(missing[0] ?? "", sentence);
    assert.equal(lines.length, 7);
    assert.match(lines.at(-1) ?? "", /not complete/);
  });
}

Deno.test("runSetup tries no Python packages without the gateway's own", async () => {
  const { missing } = await setup(["main.ts"]);
  assert.match(missing.at(-1) ?? "", /^Not tried: Python packages/);
});

Deno.test("runSetup says only that voices or default Python packages are missing", async () => {
  const output = "Not fetched: Python packages for containers: numpy, because host cannot be reached\n";
  const { status, lines, missing } = await setup(["deno.voice.json"], { output });
  assert.equal(status, 0);
  assert.equal(missing.length, 2);
  assert.equal(lines.at(-1), "The setup is complete: what was not fetched is optional.");
});

Deno.test("runSetup ends with status 1 where Python packages were named, and where nothing is said of them", async () => {
  assert.equal((await setup(["setup_python.ts"])).status, 1);
  const { status, missing } = await setup(["setup_python.ts"], { output: "" });
  assert.equal(status, 1);
  assert.match(missing[0] ?? "", /the reason is above/);
});

Deno.test("runSetup leaves out what is optional when asked to, and refuses other arguments", async () => {
  const { status, lines } = await setup([], { args: ["--needed"] });
  assert.equal(status, 0);
  assert.equal(lines.filter((line) => line.startsWith("Fetched: ")).length, 4);
  assert.deepEqual(lines.slice(-2), ["Left out: what is optional", "The setup is complete."]);
  const refused = await setup([], { args: ["--all"] });
  assert.equal(refused.status, 1);
  assert.deepEqual(refused.lines, [
    'Unknown argument "--all": allowed is --needed, which leaves out what is optional',
  ]);
});

Deno.test("runSetup runs nothing on an older Deno, and says which is needed", async () => {
  const lines: string[] = [];
  const run = () => Promise.reject(new Error("nothing may run"));
  assert.equal(await runSetup({ denoVersion: "2.5.7", run, print: (line) => lines.push(line) }), 1);
  assert.deepEqual(lines, [
    "Deno 2.9 or newer is needed; this is 2.5.7. With Node's npm: npx --yes deno task setup",
  ]);
});
