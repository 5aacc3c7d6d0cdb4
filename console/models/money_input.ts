/** Parses what is typed into a money field. */

/** How large and how exact an amount may be is the schema's to say. */
const amount = /^\d{1,15}(?:\.\d{1,15})?$/;

/** USD; null for an empty field, undefined for what is no amount. */
export function parseUsd(text: string): number | null | undefined {
  const trimmed = text.trim().replace(/^\$/, "");
  if (trimmed === "") return null;
  const plain = trimmed.replaceAll(/(?<=\d),(?=\d{3}(?:\D|$))/g, "");
  return amount.test(plain) ? Number(plain) : undefined;
}

/** As a field shows an amount: two decimals at least. */
export function usdText(usd: number | null): string {
  if (usd === null) return "";
  const exact = usd.toFixed(9).replace(/0{1,7}$/, "");
  return exact;
}
