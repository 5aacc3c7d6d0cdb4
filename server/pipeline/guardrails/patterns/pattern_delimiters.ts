/** Patterns as other languages write them in their programs: between slashes, in quotes, with flags behind them. */

interface Form {
  /** With the flags as its first group. */
  readonly form: RegExp;
  /** The signs, for people. */
  readonly name: string;
  /** Pattern to write where the signs themselves are meant. */
  readonly meant: string;
}

/** Pairs of a backslash and what it stands before, classes, and anything but a slash: `/a/b/` is a path. */
const body = String.raw`(?:\\[^]|\[(?:\\[^]|[^\]\\])*\]|[^/\\[])+`;
const slashed = new RegExp(`^(?:m|qr|y|)/${body}/([dgimsuvyxUXADJno]*)$`);

const forms: readonly Form[] = [
  { form: slashed, name: "slashes", meant: "\\/" },
  { form: new RegExp(`^s/${body}/[^/]*/([gimsuxe]*)$`), name: "slashes", meant: "\\/" },
  { form: /^%r\{[^]+\}([imxounse]*)$/, name: "%r{ and }", meant: "[%]r" },
  { form: /^#[^#]+#([imsxuADSUXJ]+)$/, name: "the signs #", meant: "[#]" },
  { form: /^~[^~]+~([imsxuADSUXJ]+)$/, name: "the signs ~", meant: "[~]" },
  { form: /^(?:[rR][bB]?|@|[bB][rR])"[^]+"$/, name: "quotes", meant: "\\x22" },
  { form: /^(?:[rR][bB]?|[bB][rR])'[^]+'$/, name: "quotes", meant: "\\x27" },
  { form: /^r#+"[^]+"#+$/, name: "quotes", meant: "\\x22" },
];

/** Fault of a pattern that has a programming language's signs around it, as the rest of a sentence. */
export function delimiterFault(pattern: string): string | undefined {
  for (const { form, name, meant } of forms) {
    const found = form.exec(pattern);
    if (found === null) continue;
    return `has ${name} around it, which would be characters of the pattern: leave them out${
      flagAdvice(found[1] ?? "")
    }; where they are meant, write ${meant}`;
  }
  return undefined;
}

function flagAdvice(flags: string): string {
  const kept = [...flags].filter((flag) => flag === "i" || flag === "m" || flag === "s");
  return kept.length === 0 ? "" : `, and write (?${[...new Set(kept)].join("")}:…) around the rest`;
}
