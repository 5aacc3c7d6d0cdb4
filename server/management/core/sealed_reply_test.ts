import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { sealReply, unsealReply } from "./sealed_reply.ts";

const randomToken = (bytes: number) => randomBytes(bytes).toString("base64url");
const options = { token: "tg-mgmt-0123456789", place: "here" };

Deno.test("unseal gives back what was sealed, to anyone with the token", () => {
  for (const text of ["", "plain", "Köln 🎉", "x".repeat(100_000)]) {
    const sealed = sealReply(text, { ...options, randomToken });
    assert.equal(unsealReply(sealed, options), text);
    assert.equal(text !== "" && sealed.includes(text), false);
  }
  assert.notEqual(sealReply("a", { ...options, randomToken }), sealReply("a", { ...options, randomToken }));
});

Deno.test("unseal refuses another token, another place and changed bytes", () => {
  const sealed = sealReply("secret", { ...options, randomToken });
  assert.throws(() => unsealReply(sealed, { ...options, token: "tg-mgmt-0123456780" }));
  assert.throws(() => unsealReply(sealed, { ...options, place: "there" }));
  assert.throws(() => unsealReply(`${sealed.slice(0, -4)}AAA=`, options));
  assert.throws(() => unsealReply("", options));
  assert.throws(() => unsealReply(sealed, { ...options, token: "" }), /the token is empty/);
});
