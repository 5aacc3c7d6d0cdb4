/** Whether what stands behind `password =` or `token:` is a secret or a word that a program has there. */

interface Context {
  readonly kind: "password" | "key";
  readonly isQuoted: boolean;
}

/** Shannon's entropy, in bits a character. */
export function entropyOf(text: string): number {
  const counts = new Map<string, number>();
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= count / text.length * Math.log2(count / text.length);
  return bits;
}

/** Values that stand for another one: `${VAR}`, `<your-key>`, `changeme`, `xxxx`, `process.env.X`. */
const placeholder =
  /\$\{|\$\(|\{\{|%[({]|<|>|^\$|^%\w+%$|\*{3}|\.{3}|x{4}|X{4}|0{10}|^(?:process|os|env|config|settings|secrets|vars|var|self|this|req|request|ctx|user|data|args|props|options|params)[.[]|(?:^|[-_. ])(?:change-?me|your|example|sample|placeholder|dummy|redacted|replace|insert|todo|enter|put|none|null|undefined|default|optional|required|string|mandatory)(?:[-_. ]|\d*$)|getenv|environ/i;

/** Less than what random letters and digits of a key have, in bits a character. */
const LEAST_ENTROPY = 2.3;

/** True for what stands in the place of a key in the form of an issuer: `xxxx…`, `…EXAMPLE`. */
export const isPlaceholder = (key: string): boolean =>
  /x{5}|X{5}|#{4}|EXAMPLE$|(?:EXAMPLE){2}|\.{3}|Here$/.test(key) || entropyOf(key) < LEAST_ENTROPY;

/** Names of algorithms, which have digits as secrets do. */
const algorithm = /^(?:sha|md|base|oauth|utf|aes|hmac|pbkdf|argon|bcrypt|ed|rsa|ecdsa|x)[-_]?\d/i;

/** `camelCase2`, `a.b.c`, `snake_case_1`: what a program calls its things. */
const identifier = /^[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)*$/;

/** `prod-eu1-db-2`: words and short numbers. */
const words = /^(?:[a-z]{1,20}\d{0,3}|\d{1,4})(?:[-_.](?:[a-z]{1,20}\d{0,3}|\d{1,4})){0,12}$/i;

const countMatches = (text: string, expression: RegExp): number => text.match(expression)?.length ?? 0;

/** An identifier has few digits, and they stand together. */
function looksNamed(value: string): boolean {
  if (!identifier.test(value)) return false;
  return value.includes(".") || countMatches(value, /\d+/g) < 2;
}

/** Paths, addresses and selectors: their parts are words. */
const isPath = (value: string): boolean =>
  /^(?:\.{0,2}\/|[a-z][a-z0-9+.-]*:\/\/|[@#&]|:|--|(?:arn|urn|data):)/i.test(value) ||
  countMatches(value, /[/\\]/g) > 2 && !/[+=]/.test(value);

/** True for a value with as much chance in it as a secret has. */
export function isSecretValue(value: string, { kind, isQuoted }: Context): boolean {
  if (placeholder.test(value) || algorithm.test(value) || isPath(value)) return false;
  if (isQuoted && kind === "key" && value.includes(".") && identifier.test(value)) return false;
  if (!/\d/.test(value) || !/\p{L}/u.test(value)) return false;
  if (
    !isQuoted && looksNamed(value) &&
    (kind === "key" || !/^[A-Z]/.test(value) || countMatches(value, /\d/g) < 2)
  ) {
    return false;
  }
  if (kind === "password") return value.length >= 8 && entropyOf(value) >= 2.75;
  return value.length >= 16 && entropyOf(value) >= 3.2 && !words.test(value);
}
