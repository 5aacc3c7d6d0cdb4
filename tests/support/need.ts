/** Programs that tests need and that a machine may lack. */

const received = new Set<string>();

/**
 * True when `there`; else says once what is left out and why. With TOLLGATE_TEST_ALL=1 nothing may be left out,
 * and it throws.
 */
export function need(
  there: boolean,
  { what, for: purpose }: { readonly what: string; readonly for: string },
) {
  if (there) return true;
  const words = `${purpose} need ${what}, which is not here`;
  if (Deno.env.get("TOLLGATE_TEST_ALL") === "1") throw new Error(`Nothing may be skipped, but ${words}`);
  if (!received.has(words)) console.warn(`SKIPPED: ${words}`);
  received.add(words);
  return false;
}
