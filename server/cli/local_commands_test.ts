import assert from "node:assert/strict";
import { localCommands, parseLocalCommand } from "./local_commands.ts";
import { reencryptText } from "./reencrypt_text.ts";

Deno.test("recover and reencrypt have help and --json, and take nothing else", () => {
  for (const { name, summary } of localCommands) {
    const help = parseLocalCommand([name, "--help"])?.help ?? "";
    assert(help.includes(summary) && help.includes("--json"), help);
    assert.deepEqual(parseLocalCommand([name]), { name, asJson: false });
    assert.deepEqual(parseLocalCommand([name, "--json"]), { name, asJson: true });
    assert.throws(() => parseLocalCommand([name, "--yes"]), /has no --yes\. It takes --json, --help\./);
    assert.throws(() => parseLocalCommand([name, "now"]), /takes no words/);
  }
  assert.equal(parseLocalCommand(["keys", "list"]), undefined);
});

Deno.test("reencryptText says what becomes of the old key, in the file and without one", () => {
  const file = reencryptText({ moved: 2, file: "data/master.key" });
  assert.match(
    file,
    /^Provider keys moved: 2\.\n1\. Set TOLLGATE_MASTER_KEY .* into data\/master\.key in place/,
  );
  assert.match(file, /2\. Keep a copy of the old key from data\/master\.key for as long as you keep backups/);
  assert.match(file, /\n3\. Delete the old key with the last/);
  const named = reencryptText({ moved: 0, file: undefined });
  assert.doesNotMatch(named, /master\.key|file/);
  assert.match(named, /2\. Keep the old key for as long/);
});
