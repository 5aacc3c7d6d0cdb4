import assert from "node:assert/strict";
import { reply, run } from "../../tests/support/run_admin.ts";

const hashOf = (beginning: string) => beginning.padEnd(64, "0");

/** A gateway that has these keys, of either kind. */
const withKeys = (...hashes: readonly string[]) => () =>
  reply({ data: hashes.map((beginning) => ({ hash: hashOf(beginning), name: `K${beginning}` })) });

Deno.test("admin takes the beginning of a hash for the whole, wherever it names a key", async () => {
  const one = withKeys("abcdef12", "fedcba98");
  const last = async (line: string) => {
    const { sent } = await run([...line.split(" "), "--yes"], one);
    return [sent.length, sent.at(-1)?.url.replace(/^.*\/v1/, ""), sent.at(-1)?.body];
  };
  const whole = hashOf("abcdef12");
  assert.deepEqual(await last("keys delete abcdef"), [2, `/keys/${whole}`, undefined]);
  assert.deepEqual(await last("keys rate-limits get abcdef1"), [2, `/keys/${whole}/rate-limits`, undefined]);
  assert.deepEqual(await last("management-keys delete abcdef"), [2, `/management-keys/${whole}`, undefined]);
  assert.deepEqual(await last("guardrails assignments keys add g1 --key_hashes abcdef,fedcba"), [
    3,
    "/guardrails/g1/assignments/keys",
    { key_hashes: [whole, hashOf("fedcba98")] },
  ]);
  // Asked of both kinds of keys, and found among both here.
  await assert.rejects(last("audit list --actor abcdef"), /Hashes of 2 keys begin with abcdef/);
  // A whole hash, and what is none, are not looked for.
  assert.deepEqual(await last(`keys delete ${whole}`), [1, `/keys/${whole}`, undefined]);
  assert.deepEqual(await last("keys delete abc"), [1, "/keys/abc", undefined]);
});

Deno.test("admin names the keys of a beginning that several have, and says where none has it", async () => {
  await assert.rejects(
    run(["keys", "get", "abcdef"], withKeys("abcdef1", "abcdef2")),
    /Hashes of 2 keys begin with abcdef: abcdef1\S* \(Kabcdef1\), abcdef2\S* \(Kabcdef2\)\. Give more/,
  );
  await assert.rejects(run(["keys", "get", "abcdef"], withKeys("123456")), /No key has a hash that begins/);
});
