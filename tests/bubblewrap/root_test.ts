/** A root file system of the operator's: its programs run, and one that cannot be used is refused with the reason. */

import assert from "node:assert/strict";
import { hasBubblewrap } from "../support/bubblewrap.ts";
import { runIn, sandboxRig, shown } from "../support/sandbox.ts";

/** A root with this system's programs and an `/etc` of its own. */
async function makeRoot(): Promise<string> {
  const root = await Deno.makeTempDir({ dir: "/var/tmp" });
  await Deno.chmod(root, 0o755);
  await Deno.symlink("/usr", `${root}/usr`);
  for (const name of ["bin", "sbin", "lib", "lib64"]) {
    if (await isFolder(`/${name}`)) await Deno.symlink(`usr/${name}`, `${root}/${name}`);
  }
  await Deno.mkdir(`${root}/etc`);
  // The names of programs such as awk lead through it.
  if (await isFolder("/etc/alternatives")) {
    await Deno.symlink("/etc/alternatives", `${root}/etc/alternatives`);
  }
  await Deno.writeTextFile(`${root}/etc/mime.types`, "of this root\n");
  return root;
}

async function isFolder(path: string): Promise<boolean> {
  try {
    return (await Deno.stat(path)).isDirectory;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}

async function faultOf(root: string): Promise<string | undefined> {
  await using rig = sandboxRig({ engine: "bubblewrap", folders: { root } });
  await rig.sandbox.ready;
  return rig.sandbox.unavailableReason;
}

if (hasBubblewrap()) {
  Deno.test("programs of sandbox.root run, and a root that cannot be used is refused with the reason", async () => {
    const root = await makeRoot();
    try {
      await using rig = sandboxRig({ engine: "bubblewrap", folders: { root } });
      const process = await rig.open();
      assert.equal(shown(await runIn(process, "cat /etc/mime.types; echo $((6 * 7))")), "of this root\n42\n");
      process.release(undefined);
      await Deno.chmod(root, 0o777);
      assert.equal(
        await faultOf(root),
        `sandbox.root is ${root}, which others may write: it has to be the gateway's or root's alone.`,
      );
      await Deno.chmod(root, 0o755);
      await Deno.remove(`${root}/usr`);
      assert.match(
        await faultOf(root) ?? "",
        /which has no base64, bash, .*: it needs bash, coreutils, findutils, .* and util-linux\.$/,
      );
      assert.equal(await faultOf(`${root}/none`), `sandbox.root is ${root}/none, which is no folder.`);
    } finally {
      await Deno.remove(root, { recursive: true });
    }
  });
}
