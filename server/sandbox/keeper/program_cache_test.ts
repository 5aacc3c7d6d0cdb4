import assert from "node:assert/strict";
import { programCache } from "./program_cache.ts";

/** A program without any right, which tries to keep something for the next one. */
const PROGRAM = `
const tries = [
  () => localStorage.setItem("a", "kept"),
  async () => await (await caches.open("x")).put("http://x/", new Response("kept")),
];
for (const store of tries) {
  try {
    await store();
    console.log("stored");
  } catch (error) {
    console.log(/Not a directory|Failed to create/.test(String(error)) ? "refused" : String(error));
  }
}
`;

async function inTempFolder(test: (folder: string) => void | Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir();
  try {
    await test(folder);
  } finally {
    await Deno.chmod(folder, 0o700);
    await Deno.remove(folder, { recursive: true });
  }
}

async function run(denoDir: string, file: string): Promise<string> {
  const { stdout } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "--no-prompt", "--no-config", "--no-remote", file],
    env: { DENO_DIR: denoDir, NO_COLOR: "1" },
    stderr: "null",
  }).output();
  return new TextDecoder().decode(stdout);
}

Deno.test("programs of the keeper can have Deno store nothing for them, the second time neither", async () => {
  await inTempFolder(async (folder) => {
    const file = `${folder}/program.js`;
    await Deno.writeTextFile(file, PROGRAM);
    assert.equal(await run(`${folder}/usual`, file), "stored\nstored\n", "without it they can");
    await Deno.mkdir(`${folder}/cache/npm`, { recursive: true });
    await Deno.writeTextFile(`${folder}/cache/npm/package`, "text");
    for (const _time of ["first", "second"]) {
      const cache = programCache(`${folder}/cache`);
      assert.equal(await run(cache, file), "refused\nrefused\n");
      assert.equal(await Deno.readTextFile(`${cache}/npm/package`), "text");
    }
  });
});

Deno.test("Deno's own folder is used where nothing can be written", async () => {
  const refused = new Deno.errors.PermissionDenied();
  await inTempFolder((folder) => {
    const mkdirSync = Deno.mkdirSync;
    Deno.mkdirSync = () => {
      throw refused;
    };
    try {
      assert.equal(programCache(folder), folder);
    } finally {
      Deno.mkdirSync = mkdirSync;
    }
  });
});
