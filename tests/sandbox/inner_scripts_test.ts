/** Commands that run commands: their arguments, variables and statuses, in a fresh container and in a used one. */

import assert from "node:assert/strict";
import type { SandboxProcess } from "../../server/sandbox/sandbox.ts";
import { runIn, sandboxRig, shown } from "../support/sandbox.ts";

interface InnerScript {
  readonly code: string;
  readonly shows: string;
}

const SLOW = { timeoutMs: 30_000 } as const;

const innerScripts: readonly InnerScript[] = [
  { code: "mkdir -p d; echo 1 > d/a; find d -type f -exec echo found {} \\;", shows: "found d/a\n" },
  { code: "mkdir -p d; touch d/a d/b; find d -type f -exec echo {} +", shows: "d/a d/b\n" },
  { code: "printf 'a b\\nc\\n' | xargs echo", shows: "a b c\n" },
  { code: "printf 'a b\\nc\\n' | xargs -n1 echo item", shows: "item a\nitem b\nitem c\n" },
  { code: "printf 'a b\\nc\\n' | xargs -I{} echo '<{}>'", shows: "<a b>\n<c>\n" },
  { code: "printf 'a b\\0c\\0' | xargs -0 -n 1", shows: "a b\nc\n" },
  { code: "echo \"'a b' c\\\\ d\" | xargs -n1", shows: "a b\nc d\n" },
  { code: "printf '' | xargs echo none; printf '' | xargs -r echo none", shows: "none\n" },
  { code: "seq 4 | xargs -L2 echo; echo a:b | xargs -d: -n1 | head -1", shows: "1 2\n3 4\na\n" },
  { code: "echo a | xargs false; echo $?; echo a | xargs nope 2>/dev/null; echo $?", shows: "123\n127\n" },
  { code: "timeout 60 echo hi there", shows: "hi there\n" },
  { code: "timeout 60 false; echo $?; timeout 0.1 sleep 60; echo $?", shows: "1\n124\n" },
  { code: "timeout 0.1 sh -c 'while :; do :; done'; echo $?", shows: "124\n" },
  { code: "env X=1 sh -c 'echo $X'; X=2 sh -c 'echo $X'", shows: "1\n2\n" },
  { code: "env X=1 echo a b", shows: "a b\n" },
  { code: "env C=1 bash -c 'bash -c \"echo $C\"'", shows: "1\n" },
  { code: "env -u KEPT sh -c 'echo [$KEPT]'; env -i A=3 sh -c 'echo [$KEPT] $A'", shows: "[]\n[] 3\n" },
  { code: "export B='q r'; bash -c 'echo \"$B\"'; echo a | xargs sh -c 'echo \"$B\"'", shows: "q r\nq r\n" },
  { code: "V=1; env | grep -c ^V=; bash -c 'echo [$V]'; printenv V; echo $?", shows: "0\n[]\n1\n" },
  {
    code: "bash -c 'export Z=1; cd /tmp; exit 3'; echo $?; echo [$Z]; env | grep -c ^Z= || :",
    shows: "3\n[]\n0\n",
  },
  { code: "unset KEPT; sh -c 'echo [$KEPT]'", shows: "[]\n" },
  { code: "KEPT=new; find . -maxdepth 0 -exec sh -c 'echo $KEPT' \\; | tail -1", shows: "new\n" },
  {
    code: "x=$(timeout 60 python3 -c 'import sys; print(sys.argv[1:])' a 'b c'); echo \"$x\"",
    shows: "['a', 'b c']\n",
  },
  {
    code: "echo 'echo from stdin $0' | bash; bash -s 2>/dev/null <<< 'echo s' | head -1",
    shows: "from stdin bash\n",
  },
];

async function runAll(t: Deno.TestContext, run: (code: string) => Promise<string>): Promise<void> {
  for (const { code, shows } of innerScripts) {
    await t.step(code, async () => assert.equal(await run(code), shows));
  }
}

const runner =
  (process: SandboxProcess, environment: Readonly<Record<string, string>>) => async (code: string) =>
    shown(await runIn(process, code, { ...SLOW, environment }));

Deno.test("commands that run commands work in a fresh container", async (t) => {
  await using rig = sandboxRig();
  const process = await rig.open();
  await runAll(t, runner(process, { KEPT: "1" }));
  process.release(undefined);
});

Deno.test("commands that run commands work in a used container with many variables", async (t) => {
  await using rig = sandboxRig();
  const process = await rig.open();
  const first = await runIn(
    process,
    "export KEPT=1 A=2 PYTHONPATH=/tmp constructor=1 toString=2; readonly R=1; alias x=y",
  );
  assert.equal(first.type, "ended");
  if (first.type !== "ended") return;
  await runAll(t, runner(process, first.environment));
  process.release(undefined);
});

Deno.test("nothing but files and exported variables lasts from one command to the next", async () => {
  await using rig = sandboxRig();
  const process = await rig.open();
  await runIn(
    process,
    "readonly A=1; B=2; f() { echo f; }; shopt -s nullglob; set -e; alias ll='ls -l'; umask 077",
  );
  const second = await runIn(
    process,
    "A=3; echo $A [$B]; f 2>/dev/null; echo $?; echo *.none; false; echo on",
  );
  assert.equal(shown(second), "3 []\n127\n*.none\non\n");
});

Deno.test("what lasts is told however a script ends", async (t) => {
  await using rig = sandboxRig();
  const process = await rig.open();
  const ends: Readonly<Record<string, string>> = {
    "its end": ":",
    exit: "exit 3",
    "exit in a function": "f() { exit 3; }; f",
    "exit in eval": "eval 'exit 3'",
    "set -e": "set -e; false",
    "set -u": "set -u; echo $none",
    "an error of its syntax in eval": "eval 'if'",
    "an inner script": "bash -c 'cd /; export A=9; exit 1'",
    "a subshell": "(cd /; export A=9; exit 1)",
    exec: "exec echo replaced",
  };
  for (const [name, end] of Object.entries(ends)) {
    await t.step(name, async () => {
      const outcome = await runIn(process, `mkdir -p w; cd w; export A='x y'; ${end}`);
      assert.equal(outcome.type, "ended");
      if (outcome.type !== "ended") return;
      assert.deepEqual([outcome.workingFolder, outcome.environment.A], ["/home/user/w", "x y"]);
    });
  }
});
