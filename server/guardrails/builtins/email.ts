import type { BuiltinFilter } from "./builtin_filter.ts";
const re = /[A-Za-z0-9._%+-]{1,64}@[A-Za-z0-9.-]{1,180}\.[A-Za-z]{2,8}/g;
export const email: BuiltinFilter = {
  slug: "email",
  placeholder: "[EMAIL]",
  entityType: "EMAIL_ADDRESS",
  experimental: false,
  maxMatch: 254,
  lookAhead: 1,
  lookBehind: 1,
  spansSpace: false,
  find(text, from) {
    if (text.indexOf("@", from) < 0) return;
    re.lastIndex = from;
    const m = re.exec(text);
    return m ? { start: m.index, end: m.index + m[0].length } : undefined;
  },
};
