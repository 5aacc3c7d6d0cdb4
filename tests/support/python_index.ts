/** An index of Python packages on this machine: a compiled one, from the Python index, and a pure one that needs it. */

import { need } from "./need.ts";

export interface PythonIndex {
  readonly index: string;
  readonly lock: Readonly<Record<string, LockRow>>;
  /** Paths that were asked for. */
  readonly requests: readonly string[];
}

interface LockRow {
  readonly file: string;
  readonly sha256: string;
  readonly depends: readonly string[];
  readonly imports: readonly string[];
}

/** For Pyodide's interface to compiled code, of the version that containers run. */
const COMPILED = "msgpack==1.2.4";
const download = [
  ...[
    "-m",
    "pip",
    "download",
    "--quiet",
    "--disable-pip-version-check",
    "--no-deps",
    "--only-binary",
    ":all:",
  ],
  ...["--platform", "pyemscripten_2026_0_wasm32", "--python-version", "3.14", "--implementation", "cp"],
  ...["--abi", "cp314", COMPILED, "--dest"],
];

/** Writes a wheel as Python's own zip module does. */
const MAKE_WHEEL = `
import sys, zipfile
name, code, folder = sys.argv[1:]
info = f"{name}-1.0.dist-info"
with zipfile.ZipFile(f"{folder}/{name}-1.0-py3-none-any.whl", "w") as wheel:
    wheel.writestr(f"{name}/__init__.py", code)
    wheel.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\\nName: {name}\\nVersion: 1.0\\n")
    wheel.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\\nGenerator: test\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n")
    wheel.writestr(f"{info}/RECORD", "")
`;

async function python(...args: readonly string[]): Promise<boolean> {
  const { success } = await new Deno.Command("python3", { args: [...args], stdout: "null", stderr: "null" })
    .output();
  return success;
}

/** Does nothing where the compiled package cannot be had. */
export async function withWheels(test: (index: PythonIndex) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir();
  try {
    const isThere = await python(...download, folder);
    if (!need(isThere, { what: `${COMPILED} for Pyodide`, for: "Tests of compiled Python packages" })) return;
    const code = "import msgpack\npacked = msgpack.packb([1, 2, 3])\n";
    await python("-c", MAKE_WHEEL, "needs_compiled", code, folder);
    await python("-c", MAKE_WHEEL, "left_out", "", folder);
    const lock = {
      msgpack: await rowOf(folder, { start: "msgpack-", depends: [], module: "msgpack" }),
      "needs-compiled": await rowOf(folder, {
        start: "needs_compiled-",
        depends: ["msgpack"],
        module: "needs_compiled",
      }),
      "left-out": await rowOf(folder, { start: "left_out-", depends: [], module: "left_out" }),
    };
    const requests: string[] = [];
    const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, async (request) => {
      const { pathname } = new URL(request.url);
      requests.push(pathname);
      return new Response(await Deno.readFile(folder + decodeURIComponent(pathname)));
    });
    try {
      await test({ index: `http://127.0.0.1:${server.addr.port}/`, lock, requests });
    } finally {
      await server.shutdown();
    }
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

interface RowInput {
  readonly start: string;
  readonly depends: readonly string[];
  readonly module: string;
}

async function rowOf(folder: string, { start, depends, module }: RowInput): Promise<LockRow> {
  const files = await Array.fromAsync(Deno.readDir(folder));
  const file = files.find(({ name }) => name.startsWith(start))?.name ?? "";
  const digest = await crypto.subtle.digest("SHA-256", await Deno.readFile(`${folder}/${file}`));
  return { file, sha256: Buffer.from(digest).toString("hex"), depends, imports: [module] };
}
