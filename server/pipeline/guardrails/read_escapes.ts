/**
 * Lets a pattern or a list of words find what is written with the escapes of JSON: a client or a model that takes a text
 * for JSON reads `id\u002d4711` as `id-4711`. Texts are read as they stand besides, by the filter itself.
 */

import { MAX_ESCAPE } from "./builtins/json_escapes.ts";
import { undecidedIn } from "./read_spellings.ts";
import { isShifted, type Spelled, toPlain, toRawEnd, toRawStart } from "./spelled.ts";
import { unescape } from "./spellings.ts";
import { OUTPUT_WINDOW } from "./scanners/scan_windows.ts";
import type { TextFilter, TextMatch, TextSearch, WorkMeter } from "./text_filter.ts";

const known = new WeakMap<TextFilter, TextFilter>();

/** A filter for what the given one finds only where escapes are read. Each filter has one, made once. */
export function readEscapes(filter: TextFilter): TextFilter {
  let escaped = known.get(filter);
  if (escaped === undefined) known.set(filter, escaped = escapedFilter(filter));
  return escaped;
}

function escapedFilter(filter: TextFilter): TextFilter {
  const { maxMatch, lookAhead, lookBehind, spansSpace, quickChars } = filter;
  const isLong = filter.undecidedFrom === undefined &&
    (maxMatch === null || maxMatch + lookAhead >= OUTPUT_WINDOW);
  return {
    maxMatch: maxMatch === null ? null : maxMatch * MAX_ESCAPE,
    lookAhead: isLong ? lookAhead : Math.min(lookAhead * MAX_ESCAPE, OUTPUT_WINDOW),
    lookBehind,
    spansSpace,
    quickChars,
    sign: SIGN,
    ...(isLong ? {} : { undecidedFrom: (text: string) => undecidedIn(unescape(text), filter) }),
    settled: (text) => unescape(text).settled,
    longestIn: (text) => longestIn(text, filter),
    search: (text, from) => text.includes(SIGN) ? new EscapedSearch(filter, { text, from }) : nothing,
    find: (text, from) => {
      if (!text.includes(SIGN)) return undefined;
      const found = new EscapedSearch(filter, { text, from }).run({ left: Infinity });
      return typeof found === "string" ? undefined : found;
    },
  };
}

/** Escapes may stand for what is spelled in another way itself. */
function longestIn(text: string, filter: TextFilter): number {
  if (!text.includes(SIGN)) return filter.longestIn?.(text) ?? 1;
  const { longest, plain } = unescape(text);
  return longest * (filter.longestIn?.(plain) ?? 1);
}

/** With what an escape begins. */
const SIGN = "\\";
const nothing: TextSearch = { run: () => "none" };

class EscapedSearch implements TextSearch {
  readonly #filter: TextFilter;
  readonly #spelled: Spelled;
  readonly #plain: string;
  #position: number;
  #search: TextSearch | undefined;

  constructor(filter: TextFilter, { text, from }: { readonly text: string; readonly from: number }) {
    this.#filter = filter;
    this.#spelled = unescape(text);
    this.#plain = this.#spelled.plain.toWellFormed();
    this.#position = toPlain(this.#spelled, from);
  }

  run(meter: WorkMeter): TextMatch | "none" | "more" {
    const spelled = this.#spelled;
    if (spelled.shifts.length === 0) return "none";
    for (;;) {
      const found = this.#next(meter);
      if (typeof found === "string") return found;
      this.#position = found.end;
      const match = { start: toRawStart(spelled, found.start), end: toRawEnd(spelled, found.end) };
      if (this.#isNew(found, match)) return match;
    }
  }

  #next(meter: WorkMeter): TextMatch | "none" | "more" {
    const { search, find } = this.#filter;
    if (search === undefined) return find(this.#plain, this.#position) ?? "none";
    this.#search ??= search(this.#plain, this.#position);
    const found = this.#search.run(meter);
    if (found !== "more") this.#search = undefined;
    return found;
  }

  /** The filter itself does not find it in the text as it stands. */
  #isNew({ start, end }: TextMatch, raw: TextMatch): boolean {
    const { lookBehind, lookAhead, find } = this.#filter;
    if (!isShifted(this.#spelled, start - lookBehind, { to: end + lookAhead })) return false;
    if (raw.end - raw.start !== end - start) return true;
    const base = Math.max(raw.start - lookBehind, 0);
    const around = this.#spelled.raw.slice(base, raw.end + lookAhead + 1);
    const same = find(around, raw.start - base);
    return same === undefined || same.start + base !== raw.start || same.end + base !== raw.end;
  }
}
