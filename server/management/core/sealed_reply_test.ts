import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { seal, unseal } from "./sealed_reply.ts";

const randomToken = (bytes: number) => randomBytes(bytes).toString("base64url");
const options = { token: "tg-mgmt-0123456789", place: "here" };

Deno.test("unseal gives back what was sealed, to whoever has the token", () => {
  for (const text of ["", "plain", "Köln 🎉", "x".repeat(100_000)]) {
    const sealed = seal(text, { ...options, randomToken });
    assert.equal(unseal(sealed, options), text);
    assert.equal(text !== "" && sealed.includes(text), false);
  }
  assert.notEqual(seal("a", { ...options, randomToken }), seal("a", { ...options, randomToken }));
});

Deno.test("unseal refuses another token, another place and changed bytes", () => {
  const sealed = seal("secret", { ...options, randomToken });
  assert.throws(() => unseal(sealed, { ...options, token: "tg-mgmt-0123456780" }));
  assert.throws(() => unseal(sealed, { ...options, place: "there" }));
  assert.throws(() => unseal(`${sealed.slice(0, -4)}AAA=`, options));
  assert.throws(() => unseal("", options));
  assert.throws(() => unseal(sealed, { ...options, token: "" }), /the token is empty/);
});
