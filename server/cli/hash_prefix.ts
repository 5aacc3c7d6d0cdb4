/** Makes whole hashes of the beginnings that lists show, where one key alone has such a beginning. */

import { isRecord } from "../../shared/util/json.ts";
import type { Command } from "./commands.ts";
import { CommandError } from "./command_error.ts";

interface HashWords {
  readonly command: Command;
  /** Words behind the command's name. */
  readonly rest: readonly string[];
  readonly flags: ReadonlyMap<string, string>;
  /** The body of a GET of this path below `/v1`; undefined where it is refused. */
  readonly read: (path: string) => Promise<unknown>;
}

/** So many characters tell a hash from a name; the gateway searches for no fewer. */
const beginning = /^[\da-f]{6,63}$/;

type Find = (prefix: string) => Promise<readonly KeyName[]>;

interface KeyName {
  readonly hash: string;
  readonly name: string;
}

/** Flags that hold hashes, of API keys or of any key. */
const hashFlags: ReadonlyMap<string, "api" | "any"> = new Map([["key_hashes", "api"], ["actor", "any"]]);

/** Throws a CommandError where several keys have such a beginning, or none. */
export async function completeHashes(
  { command, rest, flags, read }: HashWords,
): Promise<Pick<HashWords, "rest" | "flags">> {
  const ofManagement = command.row.path.startsWith("/management-keys/");
  const ofPath = ofManagement ? managementKeys(read) : apiKeys(read);
  const words = rest.map((word, at) =>
    command.params.at(at) === "hash" ? complete(word, ofPath) : Promise.resolve(word)
  );
  const completed = new Map(flags);
  for (const [name, text] of flags) {
    const kind = hashFlags.get(name);
    if (kind === undefined) continue;
    const find = kind === "api" ? apiKeys(read) : anyKeys(read);
    completed.set(name, await completeEach(text, find));
  }
  return { rest: await Promise.all(words), flags: completed };
}

/** A text alone, or several with commas. A list as JSON stays as it is. */
async function completeEach(text: string, find: Find): Promise<string> {
  const words = text.split(",").map((word) => word.trim());
  return (await Promise.all(words.map((word) => complete(word, find)))).join(",");
}

async function complete(word: string, find: Find): Promise<string> {
  if (!beginning.test(word)) return word;
  const found = await find(word);
  const [only, ...more] = found;
  if (only === undefined) throw new CommandError(`No key has a hash that begins with ${word}`);
  if (more.length === 0) return only.hash;
  const names = found.slice(0, 5).map(({ hash, name }) => `${hash.slice(0, 20)} (${name})`).join(", ");
  throw new CommandError(`Hashes of ${found.length} keys begin with ${word}: ${names}. Give more characters`);
}

/** Rows of a list whose hash begins so. */
function keyNamesIn(reply: unknown, prefix: string): readonly KeyName[] {
  const rows = isRecord(reply) && Array.isArray(reply.data) ? reply.data.filter(isRecord) : [];
  return rows.flatMap(({ hash, name }) =>
    typeof hash === "string" && hash.startsWith(prefix) ? [{ hash, name: String(name) }] : []
  );
}

const apiKeys = (read: HashWords["read"]): Find => async (prefix) =>
  keyNamesIn(await read(`/keys?q=${prefix}&workspace_id=all&include_disabled=true`), prefix);

const PAGE = 100;

const managementKeys = (read: HashWords["read"]): Find => async (prefix) => {
  const found: KeyName[] = [];
  for (let offset = 0;; offset += PAGE) {
    const reply = await read(`/management-keys?offset=${offset}&limit=${PAGE}`);
    found.push(...keyNamesIn(reply, prefix));
    if (keyNamesIn(reply, "").length < PAGE) return found;
  }
};

const anyKeys = (read: HashWords["read"]): Find => async (prefix) => [
  ...await managementKeys(read)(prefix),
  ...await apiKeys(read)(prefix),
];
