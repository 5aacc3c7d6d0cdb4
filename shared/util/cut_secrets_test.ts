import assert from "node:assert/strict";
import { secretCutter } from "./cut_secrets.ts";

const KEY = "sk-Qw3rTy_9876/zXcV+bNm5";
const cut = secretCutter([KEY]);
const bytes = new TextEncoder();
const hexOf = (char: string) => char.charCodeAt(0).toString(16).padStart(2, "0");
const each = (write: (char: string) => string) => [...KEY].map(write).join("");
const halves = [KEY.slice(0, 9), KEY.slice(9)];
const base64Of = (text: string) => bytes.encode(text).toBase64();

/** The key as a provider's error may repeat it, with what is left of that where it is not all. */
const disguises: Readonly<Record<string, string | readonly [string, string]>> = {
  plain: KEY,
  "large letters": KEY.toUpperCase(),
  "small letters": KEY.toLowerCase(),
  quotes: halves.join('"'),
  "a sum of texts": halves.join("' + '"),
  "a new line": halves.join("\n  "),
  "a new line in JSON": halves.join("\\n"),
  "marks that are not seen": each((char) => `${char}\u200b`),
  "spaces between all": [...KEY].join(" "),
  "an address": encodeURIComponent(KEY),
  "an address twice": encodeURIComponent(encodeURIComponent(KEY)),
  "an address, all of it": each((char) => `%${hexOf(char)}`),
  "JSON in JSON": JSON.stringify(JSON.stringify(KEY).replaceAll("/", "\\/")),
  "escapes of JSON": each((char) => `\\u00${hexOf(char)}`),
  "escapes of JSON in JSON": each((char) => `\\\\u00${hexOf(char)}`),
  "escapes of programs": each((char) => `\\x${hexOf(char)}`),
  "braced escapes": each((char) => `\\u{${hexOf(char)}}`),
  HTML: each((char) => `&#${char.charCodeAt(0)};`),
  "HTML twice": each((char) => `&amp;#x${hexOf(char)};`),
  "full width": each((char) => String.fromCharCode(char.charCodeAt(0) + 0xfee0)),
  base64: base64Of(KEY),
  "base64 of addresses": base64Of(KEY).replaceAll("+", "-").replaceAll("/", "_"),
  "base64 of a header": base64Of(`Bearer ${KEY}`),
  "base64 with a name": base64Of(`me:${KEY} and more`),
  "base64 in lines": base64Of(KEY).replaceAll(/.{10}/g, "$&\r\n"),
  hexadecimal: each(hexOf),
  "hexadecimal in pairs": [...KEY].map(hexOf).join(":").toUpperCase(),
};

Deno.test("secretCutter finds a secret in each of its disguises", () => {
  for (const [name, disguise] of Object.entries(disguises)) {
    const text = `Key ${disguise} is wrong`;
    const left = cut(text);
    assert(left.startsWith("Key ") && left.endsWith(" is wrong"), `${name}: ${left}`);
    assert(left.includes("[redacted]"), `${name}: ${left}`);
    // The ends of an encoding may be shared with what stands beside it.
    const rest = left.slice(4, -9).replace("[redacted]", "");
    assert(rest.length <= 20 && !/qw3r|9876|zxcv/i.test(rest), `${name}: ${left}`);
  }
});

Deno.test("secretCutter leaves what is no secret, and cuts each secret whole", () => {
  const words = secretCutter(["password", "short", "2023-06-01", KEY, `Bearer ${KEY}`], "[x]");
  assert.equal(
    words("Pass-word, short, 20230601: sk-Qw3rTy_9876"),
    "Pass-word, short, 20230601: sk-Qw3rTy_9876",
  );
  assert.equal(words("a password, 2023-06-01"), "a [x], [x]");
  assert.equal(words(`Bearer ${KEY}${KEY}.`), "[x][x].");
  assert.equal(secretCutter([])("anything"), "anything");
  // Letters beyond ASCII are letters.
  assert.equal(secretCutter(["ключключключ"])("Nein: ключ-ключ-ключ!"), "Nein: [redacted]!");
});

Deno.test("secretCutter reads texts made to be slow once", () => {
  const long = "a".repeat(4_000);
  const slow = secretCutter([`${long}b`]);
  const texts = ["a", "%25", "\\", "&amp;", "\\u006", "%"].map((one) => one.repeat(200_000 / one.length));
  for (const text of texts) assert(slow(text).length <= text.length);
  assert.equal(slow(`x ${long.slice(0, 63)} y`), `x ${long.slice(0, 63)} y`);
});
