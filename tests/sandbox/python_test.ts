/** Python in containers: as the command does it, on the shell's files, with packages that are fetched. */

import assert from "node:assert/strict";
import * as z from "zod";
import { PackageLock } from "../../server/sandbox/python/package_lock.ts";
import packageTable from "../../server/sandbox/python/packages.json" with { type: "json" };
import { DEFAULT_INDEX, pyodideLock } from "../../server/sandbox/python/packages.ts";
import { PYODIDE_VERSION } from "../../server/sandbox/python/pyodide_version.ts";
import { PythonPackages } from "../../server/sandbox/python/python_packages.ts";
import { linesLogger } from "../support/reader.ts";
import { runIn, runPython, type SandboxRig, sandboxRig, shown } from "../support/sandbox.ts";
import { tickingClock } from "../support/ticking_clock.ts";
import { withWheels } from "../support/python_index.ts";

/** Loading the interpreter takes seconds. */
const SLOW = { timeoutMs: 30_000 } as const;

async function session(rig: SandboxRig) {
  const process = await rig.open();
  return {
    run: async (code: string) => shown(await runIn(process, code, SLOW)),
    python: async (code: string) => shown(await runPython(process, code, SLOW)),
    end: () => process.release(undefined),
  };
}

Deno.test("python3 takes code, files, modules and standard input, and ends with the status of the code", async () => {
  await using rig = sandboxRig();
  const { run, end } = await session(rig);
  assert.equal(await run("python3 -c 'import sys; print(sys.argv)' a b"), "['-c', 'a', 'b']\n");
  assert.equal(
    await run("echo 'print(__name__, __file__)' > s.py; python3 s.py"),
    "__main__ /home/user/s.py\n",
  );
  assert.equal(await run("echo 'print(input())' > i.py; echo hello | python3 i.py"), "hello\n");
  assert.equal(await run("printf 'print(6*7)' | python3"), "42\n");
  assert.equal(await run("echo '{\"a\":1}' | python3 -m json.tool --compact"), '{"a":1}\n');
  assert.equal(await run("python3 -c 'raise SystemExit(3)'"), "[3]");
  assert.equal(await run("python3 -c 'raise SystemExit(\"bye\")' 2>&1; echo $?"), "bye\n1\n");
  assert.match(await run("python3 --version"), /^Python 3\.\d+\.\d+\n$/);
  assert.match(await run("python3 gone.py"), /can't open file '\/home\/user\/gone\.py'.*\[2\]$/s);
  assert.equal(
    await run("python3 -c 'def f():\n  1/0\nf()' 2>&1 | grep -v '~'"),
    'Traceback (most recent call last):\n  File "<string>", line 3, in <module>\n    f()\n  File "<string>", line 2, in f\n    1/0\n' +
      "ZeroDivisionError: division by zero\n",
  );
  end();
});

Deno.test("Python and the shell see each other's files at once, and code that has changed", async () => {
  await using rig = sandboxRig();
  const { run, python, end } = await session(rig);
  await run("mkdir d; echo one > d/a.txt; ln -s d l; echo 'N = 1' > m.py");
  assert.equal(await python("import m; print(m.N, open('l/a.txt').read(), end='')"), "1 one\n");
  assert.equal(
    await python(
      "import os\nopen('l/b.bin', 'wb').write(bytes(range(256)))\nos.rename('d/a.txt', 'c.txt')\n" +
        "os.makedirs('x/y')\nos.symlink('c.txt', 'c.lnk')\nos.chmod('c.txt', 0o600)\n" +
        "with open('c.txt', 'r+') as f:\n  f.seek(1); f.write('X'); f.truncate()\nprint(sorted(os.listdir('.')))",
    ),
    "['c.lnk', 'c.txt', 'd', 'l', 'm.py', 'x']\n",
  );
  assert.equal(
    await run("cat c.lnk; echo; wc -c < d/b.bin; stat -c %a c.txt; echo 'N = 2' > m.py"),
    "oX\n256\n600\n",
  );
  assert.equal(await python("import m; print(m.N)"), "2\n");
  assert.equal(
    await python(
      "import tempfile\nwith tempfile.TemporaryFile() as f:\n  f.write(b'q'); f.seek(0); print(f.read())",
    ),
    "b'q'\n",
  );
  assert.equal(
    await python(
      "import sqlite3\nc = sqlite3.connect('t.db')\nc.execute('create table t (a)'); c.execute('insert into t values (7)'); c.commit()\nprint(c.execute('select a from t').fetchone())",
    ),
    "(7,)\n",
  );
  assert.match(await python("open('gone/a.txt')"), /FileNotFoundError: \[Errno 44\]/);
  assert.equal(
    await run("export A=5; cd d; python3 -c 'import os; print(os.environ[\"A\"], os.getcwd())'"),
    "5 /home/user/d\n",
  );
  end();
});

Deno.test("Python's variables do not last, and neither does damage to its modules of the container", async () => {
  await using rig = sandboxRig();
  const { python, end } = await session(rig);
  await python("secret = 1\nimport sys\nsys.path.insert(0, '/nowhere')\nsys.argv.append('x')");
  assert.equal(
    await python("import sys\nprint('secret' in globals(), sys.argv, '/nowhere' in sys.path)"),
    "False ['-c'] False\n",
  );
  end();
});

Deno.test("a package is fetched when it is imported first, checked, and kept", async () => {
  await withWheels(async ({ index, lock, requests }) => {
    const folder = await Deno.makeTempDir();
    const packages = new PythonPackages({
      lock: new PackageLock(lock),
      allowed: ["needs-compiled"],
      index,
      folder,
      fetch,
      clock: tickingClock(),
      log: linesLogger([]),
    });
    await using rig = sandboxRig({ findWheels: (module) => packages.find(module) });
    const first = await session(rig);
    assert.equal(
      await first.python("import needs_compiled; print(needs_compiled.packed)"),
      "b'\\x93\\x01\\x02\\x03'\n",
    );
    assert.match(
      await first.python("import nothing_at_all"),
      /ModuleNotFoundError: No module named 'nothing_at_all'\n/,
    );
    assert.match(
      await first.python("import left_out"),
      /left-out is not switched on .*sandbox\.python_packages/,
    );
    first.end();
    const second = await session(rig);
    assert.equal(await second.python("import needs_compiled; print(1)"), "1\n");
    second.end();
    assert.equal(requests.length, 2);
    await Deno.remove(folder, { recursive: true });
  });
});

Deno.test("a package that is not what its lock says is refused, and one that cannot be reached is explained", async () => {
  await withWheels(async ({ index, lock }) => {
    const wrong = { ...lock, "needs-compiled": { ...lock["needs-compiled"], sha256: "0".repeat(64) } };
    const of = (json: unknown, address: string) =>
      new PythonPackages({
        lock: new PackageLock(json),
        allowed: ["needs-compiled"],
        index: address,
        folder: undefined,
        fetch,
        clock: tickingClock(),
        log: linesLogger([]),
      });
    await assert.rejects(of(wrong, index).find("needs_compiled"), /could not be checked/);
    await assert.rejects(
      of(lock, "http://127.0.0.1:1/").find("needs_compiled"),
      /could not be fetched.*deno task setup/,
    );
    // Where nothing answers, nothing else is asked for.
    const away = await of(lock, "http://127.0.0.1:1/").fetchAll();
    assert.deepEqual(away, [{ name: "needs-compiled", problem: "127.0.0.1:1 cannot be reached" }]);
    assert.deepEqual(await of(lock, index).fetchAll(), [{ name: "needs-compiled", problem: undefined }]);
    await using rig = sandboxRig({ findWheels: (module) => of(wrong, index).find(module) });
    const { python, end } = await session(rig);
    assert.match(
      await python("import needs_compiled"),
      /ModuleNotFoundError: No module named 'needs_compiled'\. .*could not be checked/,
    );
    end();
  });
});

Deno.test("matplotlib draws a plot into a file, where its package can be had", async () => {
  const packages = new PythonPackages({
    lock: pyodideLock(),
    allowed: ["matplotlib"],
    index: DEFAULT_INDEX,
    folder: undefined,
    fetch,
    clock: tickingClock(),
    log: linesLogger([]),
  });
  const wheels = await packages.find("matplotlib").catch((error: unknown) => String(error));
  if (typeof wheels === "string") return console.warn(`SKIPPED: a plot of matplotlib. ${wheels}`);
  await using rig = sandboxRig({ findWheels: (module) => packages.find(module), memoryMib: 1_024 });
  const process = await rig.open();
  const code = "import matplotlib.pyplot as plt\nplt.plot([1, 2, 3])\nplt.savefig('plot.png')";
  await runIn(process, code, { language: "python", timeoutMs: 120_000 });
  const chunks = await Array.fromAsync(process.readFile("plot.png"));
  assert.deepEqual([...Buffer.concat(chunks).subarray(1, 4)], [...new TextEncoder().encode("PNG")]);
  process.release(undefined);
});

Deno.test("the table of packages is that of the Pyodide which containers run", async () => {
  const config = new URL("../../server/sandbox/child/deno.json", import.meta.url).pathname;
  const script =
    "console.log(Deno.readTextFileSync(new URL('pyodide-lock.json', import.meta.resolve('pyodide'))))";
  const { stdout } = await new Deno.Command(Deno.execPath(), {
    args: ["eval", "--cached-only", `--config=${config}`, script],
  }).output();
  const own = z.object({
    packages: z.record(
      z.string(),
      z.object({
        file_name: z.string(),
        sha256: z.string(),
        depends: z.array(z.string()),
        imports: z.array(z.string()),
      }),
    ),
  }).parse(JSON.parse(new TextDecoder().decode(stdout)));
  const wheels = Object.entries(own.packages).filter(([, { file_name }]) => file_name.endsWith(".whl"));
  assert.deepEqual(
    Object.fromEntries(
      wheels.map((
        [name, { file_name: file, sha256, depends, imports }],
      ) => [name, { file, sha256, depends, imports }]),
    ),
    packageTable,
  );
  assert.match(await Deno.readTextFile(config), new RegExp(`npm:pyodide@${PYODIDE_VERSION}"`));
});
