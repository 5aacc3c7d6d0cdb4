import assert from "node:assert/strict";
import { fakeClock } from "../../../../tests/support/clock.ts";
import { parseStoreCommand } from "./parse_command.ts";
import { openEmbedded } from "../embedded/open_embedded.ts";
import { StoreError } from "../store.ts";

Deno.test("parseStoreCommand knows its words and shows them for others", () => {
  for (const args of [[], ["admin"], ["toString"], ["backups"]]) {
    assert.equal(parseStoreCommand(args), undefined);
  }
  const wrong: readonly (readonly string[])[] = [
    ["backup", "a", "b"],
    ["backup", "--yes"],
    ["restore"],
    ["restore", "a", "--force"],
    ["compact", "a"],
    ["migrate", "--yes"],
  ];
  for (const args of wrong) {
    assert.throws(
      () => parseStoreCommand(args),
      (error) => error instanceof StoreError && error.message.includes(`the command is deno task ${args[0]}`),
    );
  }
});

Deno.test("parseStoreCommand carries out what it is told", async () => {
  const folder = await Deno.makeTempDir();
  const clock = fakeClock();
  const run = (...args: string[]) => parseStoreCommand(args)?.({ type: "embedded", folder }, { clock });
  await (await openEmbedded(folder, { runtime: { clock, randomToken: () => "instance" } })).close();
  assert.match(await run("backup", `${folder}/copy`) ?? "", /The backup is .*copy/);
  assert.match(await run("restore", `${folder}/copy`, "--yes") ?? "", /The store is the one of .*copy/);
  assert.match(await run("compact") ?? "", /The store had \d+ bytes and has \d+/);
  assert.match(await run("migrate", "--dry-run") ?? "", /nothing to do/);
  await Deno.remove(folder, { recursive: true });
});
