/** Names under which models call the tools of MCP servers: letters that every provider takes, each name once. */

import { hash } from "node:crypto";

interface NamedTool {
  readonly label: string;
  readonly name: string;
}

/** Characters that a function's name may have at most, and those of the hash at the end of one that is cut. */
const LONGEST = 64;
const HASH = 8;

/** The names in the order of the tools. `taken`: names of the request's other tools. */
export function functionNames(tools: readonly NamedTool[], taken: ReadonlySet<string>): readonly string[] {
  const plain = tools.map(({ name }) => letters(name));
  const uses = new Map<string, number>();
  for (const name of plain) uses.set(name, (uses.get(name) ?? 0) + 1);
  const given = new Set(taken);
  return tools.map((tool, index) => {
    const own = plain[index] ?? "";
    const name = nameOf(tool, { own, isFree: own !== "" && uses.get(own) === 1 && !given.has(own), given });
    given.add(name);
    return name;
  });
}

interface NameOptions {
  readonly own: string;
  readonly isFree: boolean;
  readonly given: ReadonlySet<string>;
}

function nameOf(tool: NamedTool, { own, isFree, given }: NameOptions): string {
  if (isFree && own.length <= LONGEST) return own;
  const whole = isFree ? own : `${letters(tool.label)}__${own}`;
  return whole.length <= LONGEST && !given.has(whole) ? whole : hashedName(tool, whole);
}

/** The tools of one request have other labels or other names, and so other hashes. */
function hashedName({ label, name }: NamedTool, whole: string): string {
  const ending = hash("sha256", JSON.stringify([label, name]), "hex").slice(0, HASH);
  return `${whole.slice(0, LONGEST - HASH - 1)}_${ending}`;
}

const letters = (text: string): string => text.replace(/[^A-Za-z0-9_-]/g, "_");
