/** The one seed of all tests with chance in them; each prints it in its name or in its failure. */

const given = Deno.env.get("SEED");

/** `SEED` of the environment, which runs a failure again; else another one each time. From 0 to 2^31 - 1. */
export const seed = given === undefined ? Math.floor(Math.random() * 2 ** 31) : toSeed(given);

function toSeed(text: string): number {
  if (/^\d{1,10}$/.test(text) && Number(text) < 2 ** 31) return Number(text);
  throw new Error(`Cannot take the seed: SEED is ${JSON.stringify(text)}, and no whole number below 2^31`);
}
