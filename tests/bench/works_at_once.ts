/** Works that run beside each other, so many at a time. */

type Works = Readonly<Record<string, () => Promise<unknown>>>;

type Results<W extends Works> = { readonly [Name in keyof W]: Awaited<ReturnType<W[Name]>> };

const asResults = <W extends Works>(found: Readonly<Record<string, unknown>>) => found as Results<W>;

/**
 * Begins the works in their order, and returns what came of each. After a failure none begins any more; it is thrown
 * once all have ended.
 */
export async function runAtOnce<W extends Works>(works: W, most: number): Promise<Results<W>> {
  const left = Object.entries(works);
  const found: Record<string, unknown> = {};
  const runNext = async () => {
    for (let next = left.shift(); next !== undefined; next = left.shift()) {
      const [name, work] = next;
      try {
        found[name] = await work();
      } catch (error) {
        left.length = 0;
        throw error;
      }
    }
  };
  const ended = await Promise.allSettled(Array.from({ length: most }, runNext));
  for (const one of ended) if (one.status === "rejected") throw one.reason;
  return asResults<W>(found);
}
