/** Nothing that a command can read names a place on the machine, or anything else of it. */

import assert from "node:assert/strict";
import { runIn, sandboxRig, shown, textOf } from "../support/sandbox.ts";

const SLOW = { timeoutMs: 60_000 } as const;

const looks: Readonly<Record<string, string>> = {
  "the environment": "env; set; printenv; export -p; declare -p",
  "files of the system":
    "find / -type f -not -path '/usr/bin/*' -not -path '/bin/*' | head -200; cat /proc/*/* /proc/* /etc/* 2>&1",
  "errors of the shell":
    "cat /root; yq . <<< '{'; jq x <<< 1; file /nowhere; tar xf none; awk '{'; sed '('; grep '['; gunzip < none; " +
    "rg '('; xan nothing; html-to-markdown none; date -d never; sort -z -q",
  "an error of syntax": "eval 'if; then'; bash -c 'for'; . ./none",
  "Python's own":
    "python3 -c 'import sys, os, sysconfig, site, platform; print(sys.path, sys.executable, sys.prefix, sys.argv, " +
    "os.environ, sysconfig.get_paths(), sys.flags, platform.uname(), os.getcwd()); " +
    'print([getattr(m, "__file__", "") for m in sys.modules.values()])\'',
  "a traceback of Python":
    "python3 -c 'import json; json.loads(\"{\")' 2>&1; python3 -m nothing; python3 none.py",
  "a crash of Python":
    "python3 -c 'import os; os.abort()'; python3 -c 'import ctypes; ctypes.string_at(2**31, 5)'",
  "an error of JavaScript":
    "python3 -c 'import js; js.eval(\"null.x\")'; python3 -c 'import js; js.Function.new(\"throw new Error(1)\")()'",
  "a stack of JavaScript":
    "python3 -c 'import js; print(js.Error.new(\"x\").stack)'; python3 -c 'import js; print(js.eval(\"(() => { try { null.f() } catch (e) { return e.stack } })()\"))'",
  "the process":
    'python3 -c \'import js; p = js.process; print(p.env.to_py() if hasattr(p.env, "to_py") else p.env, p.argv, ' +
    "p.execPath, p.cwd(), js.Deno.mainModule, js.Deno.execPath(), js.Deno.args)'",
  "a file that Python asks of JavaScript":
    "python3 -c 'import js; js.Deno.readTextFileSync(\"none\")' 2>&1 | tail -1",
};

/** Folders of this machine: its packages, this repository, the program, the home of its user. */
function hostFolders(): readonly string[] {
  const repository = new URL("../../", import.meta.url).pathname.replace(/\/$/, "");
  const home = Deno.env.get("HOME") ?? "/root";
  return [
    repository,
    `${home}/.cache`,
    Deno.execPath(),
    "registry.npmjs.org",
    "node_modules",
  ];
}

const hostPaths = (): readonly string[] => [...hostFolders(), Deno.hostname()];

Deno.test("no command, traceback or error tells of the machine", async (t) => {
  await using rig = sandboxRig();
  const process = await rig.open();
  for (const [name, code] of Object.entries(looks)) {
    await t.step(name, async () => {
      const outcome = await runIn(process, code, SLOW);
      assert.equal(outcome.type, "ended");
      const text = outcome.stdout + outcome.stderr;
      for (const path of hostPaths()) assert(!text.includes(path), `${path} in: ${text}`);
      assert.doesNotMatch(text, /NotCapable: Requires env|--allow-env/);
    });
  }
});

Deno.test("commands that ask for the environment find an empty one", async () => {
  await using rig = sandboxRig();
  const process = await rig.open();
  const code = "echo 'a: 1' | yq .a; echo '{}' > j.json; file j.json; echo a,b | xan headers | head -1";
  const outcome = await runIn(process, code);
  assert.equal(outcome.type === "ended" && outcome.stderr, "");
  assert.match(outcome.stdout, /^1\nj\.json: JSON/);
});

/**
 * Every text that stands in a property of what Python gets from JavaScript, as `path = text`. Getters are called near
 * the roots only: those of the web make new objects each time.
 */
const WALK = `(roots) => {
  const [seen, found, left] = [new Set(), [], Object.entries(roots)];
  const visit = (path, value) => {
    for (const key of Reflect.ownKeys(value).slice(0, 600)) {
      const { value: held, get } = Reflect.getOwnPropertyDescriptor(value, key) ?? {};
      const isCalled = get !== undefined && path.split(".").length <= 2;
      left.push([path + "." + String(key), isCalled ? value[key] : held]);
    }
    left.push([path + ".^", Object.getPrototypeOf(value)]);
    if (value instanceof Map) left.push(...[...value].map((pair) => [path, pair]));
  };
  for (let one = left.pop(); one !== undefined; one = left.pop()) {
    const [path, value] = one;
    if (typeof value === "string") found.push(path + " = " + value.slice(0, 4000));
    if (Object(value) !== value || seen.has(value) || ArrayBuffer.isView(value)) continue;
    seen.add(value);
    try {
      visit(path, value);
    } catch (error) {
      found.push(path + " = " + String(error));
    }
  }
  return found.join("\\n");
}`;

Deno.test("nothing that Python reaches in JavaScript names a place on the machine", async () => {
  await using rig = sandboxRig();
  const process = await rig.open();
  const code = `import js, pyodide_js
roots = js.Object.new()
roots.js = js.globalThis
roots.pyodide_js = pyodide_js
open("found", "w").write(js.eval(${JSON.stringify(`(${WALK})`)})(roots))
print(pyodide_js._api.config.to_py())`;
  const outcome = await runIn(process, code, { ...SLOW, language: "python" });
  assert.equal(outcome.type, "ended", shown(outcome));
  const lines = [...(await textOf(process, "found")).split("\n"), outcome.stdout];
  assert(lines.length > 1_000, shown(outcome));
  for (const path of hostFolders()) assert.deepEqual(lines.filter((line) => line.includes(path)), [], path);
});
