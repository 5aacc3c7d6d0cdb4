/** `server/app/setup_python.ts`, as `deno task setup` runs it: what it says of Python packages, and its status. */

import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));

interface Case {
  /** `sandbox` of the configuration file, besides its index. */
  readonly sandbox?: Readonly<Record<string, unknown>>;
  readonly env?: Readonly<Record<string, string>>;
  /** Answer of the index. */
  readonly answer?: () => Response;
}

/** Runs it against an index on this machine. */
async function run({ sandbox = {}, env = {}, answer = () => new Response(null, { status: 404 }) }: Case) {
  const folder = await Deno.makeTempDir({ prefix: "tollgate setup " });
  let asked = 0;
  const listener = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, () => {
    asked++;
    return answer();
  });
  try {
    const python_index = `http://127.0.0.1:${listener.addr.port}/files`;
    const config = `${folder}/gateway.json`;
    await Deno.writeTextFile(config, JSON.stringify({ sandbox: { ...sandbox, python_index } }));
    const child = new Deno.Command(Deno.execPath(), {
      args: [
        ...["run", "--frozen", "--no-prompt", "--allow-net", "--allow-env", "--allow-read", "--allow-write"],
        "server/app/setup_python.ts",
      ],
      cwd: root,
      env: { NO_COLOR: "1", TOLLGATE_CONFIG: config, TOLLGATE_DATA: `${folder}/data`, ...env },
    });
    const { code, stdout } = await child.output();
    return { code, asked, lines: new TextDecoder().decode(stdout).trim().split("\n") };
  } finally {
    await listener.shutdown();
    await Deno.remove(folder, { recursive: true });
  }
}

Deno.test("default Python packages that the machine cannot fetch are only said", async () => {
  const { code, lines } = await run({});
  assert.equal(code, 0);
  assert.match(
    lines[0] ?? "",
    /^Not fetched: Python packages for containers: numpy, .*because 127\.0\.0\.1:\d+ did not/,
  );
  assert(lines.every((line) => /^Not fetched: .*status 404$/.test(line)), lines.join("\n"));
});

Deno.test("Python packages that the settings name are asked for: status 1, and each is named", async () => {
  const { code, lines } = await run({ sandbox: { python_packages: ["numpy", "no-such-package"] } });
  assert.equal(code, 1);
  assert.match(lines.join("\n"), /: numpy, because .*status 404/);
  assert.match(
    lines.join("\n"),
    /: no-such-package, because Pyodide's distribution has no package of this name/,
  );
});

Deno.test("a Python package whose file is another one is not fetched", async () => {
  const answer = () => new Response("no wheel");
  const { code, lines } = await run({ sandbox: { python_packages: ["numpy"] }, answer });
  assert.equal(code, 1);
  assert.match(lines.join("\n"), /another checksum than its lock says/);
});

Deno.test("no Python package is asked for where containers are off, and a fault of the settings is a sentence", async () => {
  const off = await run({ sandbox: { python_packages: ["numpy"] }, env: { TOLLGATE_SANDBOX: "off" } });
  assert.deepEqual([off.code, off.asked], [0, 0]);
  assert.match(off.lines[0] ?? "", /^Not needed: Python packages/);
  const faulty = await run({ env: { PORT: "many" } });
  assert.deepEqual([faulty.code, faulty.lines.length, faulty.asked], [1, 1, 0]);
  assert.match(faulty.lines[0] ?? "", /the settings have a fault\. PORT/);
});
