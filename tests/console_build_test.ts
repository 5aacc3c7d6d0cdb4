/** A console that cannot be built is one sentence, and `--strict` makes a status of it. */

import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { copySync } from "./support/copy.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const sources = ["build.ts", "build_reason.ts", "build_sources.ts", "deno.json", "deno.lock"] as const;

/** A checkout in whose console no packages can be put. */
async function withClosedFolder(run: (folder: string) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "tollgate console " });
  try {
    await Deno.mkdir(`${folder}/console`);
    for (const name of sources) await Deno.copyFile(`${root}/console/${name}`, `${folder}/console/${name}`);
    copySync(`${root}/shared`, `${folder}/shared`);
    await Deno.writeTextFile(`${folder}/console/node_modules`, "");
    await run(folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

async function build(folder: string, flags: readonly string[]) {
  const child = new Deno.Command(Deno.execPath(), {
    args: [
      ...["run", "--no-config", "--no-lock", "--no-prompt", "--allow-read=console,shared", "--allow-run"],
      "console/build.ts",
      ...flags,
    ],
    cwd: folder,
    env: { NO_COLOR: "1" },
  });
  const { code, stderr } = await child.output();
  return { code, lines: new TextDecoder().decode(stderr).trim().split("\n") };
}

Deno.test("a console that cannot be built is told in one line, and the gateway may start", () =>
  withClosedFolder(async (folder) => {
    const { code, lines } = await build(folder, []);
    assert.equal(code, 0);
    assert.equal(lines.length, 1, lines.join("\n"));
    assert.match(lines[0] ?? "", /^The console cannot be built, and the gateway starts without it: \S/);
    assert.doesNotMatch(lines[0] ?? "", /[Bb]acktrace|os error/);
    assert.equal((await build(folder, ["--strict"])).code, 1);
  }));
