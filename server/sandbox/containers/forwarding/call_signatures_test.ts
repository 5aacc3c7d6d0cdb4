import assert from "node:assert/strict";
import { fakeClock } from "../../../../tests/support/clock.ts";
import { CallSignatures, MAX_SKEW_MS } from "./call_signatures.ts";

const MASTER = new Uint8Array(32).fill(9);
const CALL = { method: "POST", path: "/internal/containers/sess_a/run" };
const INPUT = { to: "0192f0c0a1b27000800000000000000f", body: '{"commands":["écho \\ud83d\\ude00"]}' };

/** Number of nonces of all rigs: no two are the same. */
let nonces = 0;

async function rig(master = MASTER) {
  const clock = fakeClock();
  const randomToken = (bytes: number) =>
    new Uint8Array(bytes).fill(nonces++).toBase64({ alphabet: "base64url", omitPadding: true });
  return { clock, signatures: await CallSignatures.create(master, { clock, randomToken }) };
}

Deno.test("a signature holds for its call, its instance and its body, once", async () => {
  const { signatures } = await rig();
  const header = await signatures.sign(CALL, INPUT);
  const check = await signatures.check(CALL, header);
  assert.ok(check.type === "valid");
  assert.equal(check.to, INPUT.to);
  assert.equal(await check.isOf(INPUT.body), true);
  for (const body of ["", `${INPUT.body} `, INPUT.body.replace("é", "e"), INPUT.body.slice(1)]) {
    assert.equal(await check.isOf(body), false, body);
  }
  assert.deepEqual(await signatures.check(CALL, header), { type: "repeated" });
  assert.equal((await signatures.check(CALL, await signatures.sign(CALL, INPUT))).type, "valid");
});

Deno.test("a header of which anything was changed is signed by nobody, and no nonce is used up by it", async () => {
  const { signatures } = await rig();
  const header = await signatures.sign(CALL, INPUT);
  const parts = header.split(";");
  const swapped = (part: string) => part.replace(/.$/, (last) => last === "0" ? "1" : "0");
  const changed = [
    ...parts.map((_, at) => parts.map((part, place) => place === at ? swapped(part) : part).join(";")),
    ...parts.map((_, at) => parts.filter((_, place) => place !== at).join(";")),
    header.toUpperCase(),
    `${header};`,
    `${header},${header}`,
    ` ${header}`,
    header.replace("v1;", "v1;0"),
    "",
    ";;;;;",
  ];
  for (const one of changed) assert.deepEqual(await signatures.check(CALL, one), { type: "unsigned" }, one);
  assert.deepEqual(await signatures.check(CALL, null), { type: "unsigned" });
  const others = [
    { ...CALL, method: "GET" },
    { ...CALL, path: "/internal/containers/sess_a/turn" },
    { ...CALL, path: "/internal/containers/sess_b/run" },
    { ...CALL, path: `${CALL.path}?a=b` },
  ];
  for (const call of others) assert.deepEqual(await signatures.check(call, header), { type: "unsigned" });
  const { signatures: ofAnother } = await rig(new Uint8Array(32).fill(8));
  assert.deepEqual(await ofAnother.check(CALL, header), { type: "unsigned" });
  assert.equal((await signatures.check(CALL, header)).type, "valid");
});

Deno.test("a signature holds for a minute in both directions", async () => {
  for (
    const [ahead, type] of [
      [-MAX_SKEW_MS - 1, "late"],
      [-MAX_SKEW_MS, "valid"],
      [MAX_SKEW_MS, "valid"],
      [MAX_SKEW_MS + 1, "late"],
    ] as const
  ) {
    const { clock, signatures } = await rig();
    const other = await rig();
    clock.leap(2 * MAX_SKEW_MS);
    other.clock.leap(2 * MAX_SKEW_MS + ahead);
    const header = await other.signatures.sign(CALL, INPUT);
    assert.equal((await signatures.check(CALL, header)).type, type, String(ahead));
  }
});

Deno.test("a signature is taken once as long as it holds, also one of a clock that is ahead", async () => {
  const { clock, signatures } = await rig();
  const other = await rig();
  other.clock.leap(MAX_SKEW_MS);
  const header = await other.signatures.sign(CALL, INPUT);
  assert.equal((await signatures.check(CALL, header)).type, "valid");
  for (let passed = 0; passed < 2 * MAX_SKEW_MS; passed += MAX_SKEW_MS / 2) {
    assert.deepEqual(await signatures.check(CALL, header), { type: "repeated" }, String(passed));
    clock.leap(MAX_SKEW_MS / 2);
    assert.equal((await signatures.check(CALL, await signatures.sign(CALL, INPUT))).type, "valid");
  }
  assert.deepEqual(await signatures.check(CALL, header), { type: "repeated" });
  clock.leap(1);
  assert.deepEqual(await signatures.check(CALL, header), { type: "late" });
});
