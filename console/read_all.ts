/** Short lists, which a page needs whole. */

const PAGE = 100;
/** More than these no choice shows. */
const MOST = 1_000;

interface Page<Item> {
  readonly data: readonly Item[];
  readonly total_count: number;
}

/** Reads a list page by page, up to 1,000 items. */
export async function readAll<Item>(
  read: (page: { readonly offset: number; readonly limit: number }) => Promise<Page<Item>>,
): Promise<readonly Item[]> {
  const found: Item[] = [];
  let total = Infinity;
  while (found.length < Math.min(total, MOST)) {
    const { data, total_count } = await read({ offset: found.length, limit: PAGE });
    if (data.length === 0) break;
    found.push(...data);
    total = total_count;
  }
  return found;
}
