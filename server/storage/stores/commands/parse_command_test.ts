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
  const run = async (...args: string[]) =>
    (await parseStoreCommand(args)?.run({ type: "embedded", folder }, { clock }))?.text ?? "";
  await (await openEmbedded(folder, { runtime: { clock, randomToken: () => "instance" } })).close();
  await assert.rejects(
    run("backup", `${folder}/gone/copy`),
    /Cannot back up to .*: there is no folder .*gone$/,
  );
  assert.match(await run("backup", `${folder}/copy`), /The backup is .*copy/);
  assert.match(await run("restore", `${folder}/copy`, "--yes"), /The store is the one of .*copy/);
  assert.match(await run("compact"), /The store had \d+ bytes and has \d+/);
  assert.match(await run("migrate", "--dry-run"), /nothing to do/);
  await Deno.remove(folder, { recursive: true });
});

Deno.test("parseStoreCommand names a flag that a command does not take, and the one that was meant", () => {
  const cases: readonly (readonly [args: readonly string[], said: RegExp])[] = [
    [["backup", "--yes"], /backup has no --yes\. It takes --json\.$/],
    [["restore", "a", "--force"], /restore has no --force\. It takes --yes, --json\.$/],
    [["restore", "a", "--yess"], /restore has no --yess\. Did you mean --yes\?/],
    [["restore", "a", "--json=1"], /restore has no --json=1\. Did you mean --json\?/],
    [["compact", "--jsn"], /compact has no --jsn\. Did you mean --json\?/],
    [["migrate", "--dryrun"], /migrate has no --dryrun\. Did you mean --dry-run\?/],
    [["migrate", "--dry_run"], /migrate has no --dry_run\. Did you mean --dry-run\?/],
  ];
  for (const [args, said] of cases) assert.throws(() => parseStoreCommand(args), said, args.join(" "));
});

Deno.test("parseStoreCommand takes --json with every command, and each has fields for it", async () => {
  const folder = await Deno.makeTempDir();
  const clock = fakeClock();
  const fieldsOf = async (...args: string[]) => {
    const command = parseStoreCommand([...args, "--json"]);
    assert.equal(command?.asJson, true);
    return (await command?.run({ type: "embedded", folder }, { clock }))?.fields ?? {};
  };
  await (await openEmbedded(folder, { runtime: { clock, randomToken: () => "instance" } })).close();
  const { file, bytes } = await fieldsOf("backup");
  assert.match(String(file), /\/backups\/tollgate-[\d-]+\.sqlite3$/);
  assert.ok(String(file).startsWith(`${folder}/`), "beside the store, wherever the command runs");
  assert.equal((await Deno.stat(String(file))).size, bytes);
  const { kept } = await fieldsOf("restore", String(file));
  assert.ok((await Deno.stat(String(kept))).isFile);
  const { bytes_before: before, bytes_after: after } = await fieldsOf("compact");
  assert.ok(typeof before === "number" && typeof after === "number" && after > 0);
  const { schema_before: schema, schema_after: same, steps, dry_run: dry } = await fieldsOf(
    "migrate",
    "--dry-run",
  );
  assert.deepEqual([schema, steps, dry], [same, 0, true]);
  await Deno.remove(folder, { recursive: true });
});
