import assert from "node:assert/strict";
import { ApiError } from "../../../shared/errors.ts";
import { adminRig } from "../../../tests/support/admin.ts";
import { failingStore } from "../../../tests/support/failing_store.ts";
import { memoryStore } from "../../storage/stores/memory_store.ts";
import { createRuntime } from "../../runtime.ts";
import { byokCollection, byokEncryptionContext } from "./byok_rows.ts";
import { reencryptSecrets } from "./reencrypt.ts";
import { StartError } from "../core/start_error.ts";
import { openVault, type VaultOptions } from "./vault.ts";

const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
const runtime = createRuntime(silent);
const master = (byte: number) => new Uint8Array(32).fill(byte);

function options(changes: Partial<VaultOptions> = {}): VaultOptions {
  return { store: memoryStore(), runtime, input: master(1), file: undefined, ...changes };
}

Deno.test("Vault gives a text back where it was put, and nowhere else", async () => {
  const vault = await openVault(options());
  const sealed = await vault.encrypt("sk-secret", "byok|w|openai|1");
  assert.equal(await vault.decrypt(sealed, "byok|w|openai|1"), "sk-secret");
  await assert.rejects(vault.decrypt(sealed, "byok|v|openai|1"), /cannot be decrypted/);
  const text = Uint8Array.fromBase64(sealed.text);
  text[0] = (text[0] ?? 0) ^ 1;
  await assert.rejects(vault.decrypt({ ...sealed, text: text.toBase64() }, "byok|w|openai|1"), ApiError);
  const again = await vault.encrypt("sk-secret", "byok|w|openai|1");
  assert.notEqual(again.iv, sealed.iv);
  assert.notEqual(again.text, sealed.text);
});

Deno.test("openVault refuses another master key, and none, once something is stored", async () => {
  const store = memoryStore();
  const vault = await openVault(options({ store }));
  await openVault(options({ store, input: master(2) }));
  const sealed = await vault.encrypt("x", "place");
  await assert.rejects(openVault(options({ store, input: master(2) })), (error) => {
    assert(error instanceof StartError);
    assert.match(error.message, /TOLLGATE_MASTER_KEY is another key/);
    return true;
  });
  await assert.rejects(openVault(options({ store, input: undefined })), /TOLLGATE_MASTER_KEY is not set/);
  assert.equal(await (await openVault(options({ store }))).decrypt(sealed, "place"), "x");
});

Deno.test("Vault stores nothing beside instances that have another master key", async () => {
  const store = memoryStore();
  const late = await openVault(options({ store, input: master(2) }));
  const sealed = await (await openVault(options({ store }))).encrypt("x", "place");
  await assert.rejects(late.encrypt("y", "place"), /not the one that other instances use/);
  await assert.rejects(late.decrypt(sealed, "place"), /another master key/);
});

Deno.test("Vault asks for a master key where none may be made", async () => {
  const vault = await openVault(options({ input: undefined }));
  await assert.rejects(vault.encrypt("x", "place"), (error) => {
    assert(error instanceof ApiError);
    assert.equal(error.kind, "invalid_request");
    assert.match(error.message, /Set TOLLGATE_MASTER_KEY/);
    return true;
  });
});

Deno.test("Vault makes a master key at its first use, readable by its owner only", async () => {
  const folder = await Deno.makeTempDir();
  try {
    const file = `${folder}/master.key`;
    const store = memoryStore();
    const vault = await openVault(options({ store, input: undefined, file }));
    await assert.rejects(Deno.stat(file), Deno.errors.NotFound);
    const [one] = await Promise.all([vault.encrypt("x", "a"), vault.encrypt("y", "b")]);
    assert.equal(((await Deno.stat(file)).mode ?? 0o600) & 0o777, 0o600);
    const next = await openVault(options({ store, input: undefined, file }));
    assert.equal(await next.decrypt(one, "a"), "x");
    await Deno.remove(file);
    await assert.rejects(openVault(options({ store, input: undefined, file })), /master\.key is missing/);
    await Deno.writeTextFile(file, "nonsense");
    await assert.rejects(openVault(options({ store, input: undefined, file })), /holds no master key/);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("reencrypt moves provider keys to another master key, also in two goes", async () => {
  const store = memoryStore();
  const { call } = await adminRig({ store, masterKey: master(1) });
  for (const at of [1, 2, 3]) {
    await call("byok.create", { body: { provider: "openai", key: `sk-number-${at}` } });
  }
  const from = { input: master(1), file: undefined };
  const failing = failingStore(store, { at: 5 });
  failing.arm();
  await assert.rejects(
    reencryptSecrets({ store: failing.store, runtime, from, to: master(2) }),
    /failed at call 5/,
  );
  await openVault(options({ store }));
  await assert.rejects(
    reencryptSecrets({ store, runtime, from: { input: master(3), file: undefined }, to: master(2) }),
    StartError,
  );
  const moved = await reencryptSecrets({ store, runtime, from, to: master(2) });
  assert(moved > 0 && moved < 3, `${moved} were left`);
  await assert.rejects(openVault(options({ store })), StartError);
  const vault = await openVault(options({ store, input: master(2) }));
  const rows = await byokCollection(store).list();
  const keys = await Promise.all(
    rows.map(({ record }) => vault.decrypt(record.sealed, byokEncryptionContext(record))),
  );
  assert.deepEqual(keys.sort(), ["sk-number-1", "sk-number-2", "sk-number-3"]);
});
