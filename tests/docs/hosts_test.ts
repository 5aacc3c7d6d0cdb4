/** docs/hosts.md names every host that stands in the product's sources, and no other. */

import assert from "node:assert/strict";

const root = new URL("../../", import.meta.url);
const folders = ["server/", "shared/", "console/"] as const;

/** Names in sources that nobody is called by, each with the reason. */
const uncalled: ReadonlyMap<string, string> = new Map([
  ["gateway.invalid", "stands for the gateway while a path is read"],
  ["local.invalid", "stands for the built-in provider while a path is read"],
  ["console", "stands for the console while a path is read"],
  ["creativecommons.org", "the licence of a data file"],
  ["www.w3.org", "a namespace of XML"],
  ["s3.amazonaws.com", "a namespace of XML"],
  ["cognitiveservices.azure.com", "a scope of a token"],
  ["www.googleapis.com", "a scope of a token"],
  ["hooks.slack.com", "a secret that a content filter knows"],
  ["discord.com", "a secret that a content filter knows"],
  ["discordapp.com", "a secret that a content filter knows"],
  ["host", "a form of an address in words"],
  ["user:password@host:port", "a form of an address in words"],
  ["opencode.ai", "the schema of a settings file that the console shows"],
  ["name.openai.azure.com", "a form of an address in words"],
  ["api-dashboard.search.brave.com", "a page with prices, shown in the documents"],
  ["exa.ai", "a page with prices, shown in the documents"],
  ["docs.parallel.ai", "a page with prices, shown in the documents"],
  ["docs.perplexity.ai", "a page with prices, shown in the documents"],
  ["docs.tavily.com", "a page with prices, shown in the documents"],
]);

/** Files whose addresses are shown to clients and never called. */
const shownOnly: readonly string[] = ["server/providers/catalog/provider_facts.ts"];

/** Code without its comments; what looks like one inside a text stays. */
function withoutComments(code: string): string {
  return code.replace(
    /("(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')|\/\*[\s\S]*?\*\/|(^|[^:`\\])\/\/.*$/gm,
    (_, text?: string, before?: string) => text ?? before ?? "",
  );
}

/** The place behind a `${`: where its brace is closed. */
function endOfPlaceholder(text: string, from: number): number {
  let depth = 1;
  let at = from;
  for (; at < text.length && depth > 0; at++) {
    if (text[at] === "{") depth++;
    if (text[at] === "}") depth--;
  }
  return at;
}

/** Hosts of the addresses in a text; what is computed is a star. */
function hostsIn(text: string): readonly string[] {
  const hosts: string[] = [];
  for (const { index, 0: scheme } of text.matchAll(/\bhttps?:\/\//g)) {
    let host = "";
    let at = index + scheme.length;
    while (at < text.length && !/[\s/?#"'`<>(),|\\]/.test(text[at] ?? "")) {
      if (text.startsWith("${", at)) {
        host += "*";
        at = endOfPlaceholder(text, at + 2);
      } else host += text[at++];
    }
    hosts.push(host);
  }
  return hosts;
}

/** True for an address that is computed as a whole, for this machine, and for names that are kept for examples. */
const isNobody = (host: string) =>
  !/[a-z]/i.test(host) || /^(?:localhost|127\.0\.0\.1)(?:[:*]|$)/.test(host) ||
  /(?:^|\.)example(?:\.(?:com|org|net))?(?::\d+)?$/.test(host) ||
  /^\*(?:\.|$)/.test(host) && !/[a-z]{2}/.test(host);

async function* sources(folder: string): AsyncGenerator<string> {
  for await (const { name, isDirectory } of Deno.readDir(new URL(folder, root))) {
    if (["node_modules", "dist"].includes(name)) continue;
    if (isDirectory) yield* sources(`${folder}${name}/`);
    else if (/\.(?:tsx?|js|json|html)$/.test(name) && !/_test\.tsx?$|\.lock$/.test(name)) {
      yield `${folder}${name}`;
    }
  }
}

async function sourceHosts(): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  const files = ["main.ts"];
  for (const folder of folders) for await (const file of sources(folder)) files.push(file);
  for (const file of files.filter((file) => !shownOnly.includes(file))) {
    const text = await Deno.readTextFile(new URL(file, root));
    const code = file.endsWith(".ts") || file.endsWith(".tsx") ? withoutComments(text) : text;
    for (const host of hostsIn(code)) if (!isNobody(host)) found.set(host, file);
  }
  return found;
}

/** Hosts of the page's tables. */
async function documentedHosts(): Promise<readonly string[]> {
  const page = await Deno.readTextFile(new URL("docs/hosts.md", root));
  const cells = page.split("\n").filter((line) => line.startsWith("| ")).map((line) =>
    line.split("|")[1] ?? ""
  );
  return cells.flatMap((cell) =>
    [...cell.matchAll(/`([a-z\d.<>-]+\.[a-z]+)`/g)].map(([, host = ""]) => host)
  );
}

const globOf = (host: string) =>
  new RegExp(`^${host.split("*").map((part) => part.replace(/[.[\]:@$-]/g, "\\$&")).join(".*")}$`);

Deno.test("hostsIn reads hosts out of texts and templates, and comments are none", () => {
  const code = [
    'const a = "https://one.test/x"; // https://comment.test',
    "/* https://block.test */ const b = `https://${x ? `${y}-` : ''}two.test/v1`;",
    "const c = `https://three.${region}.test`;",
  ].join("\n");
  assert.deepEqual(hostsIn(withoutComments(code)), ["one.test", "*two.test", "three.*.test"]);
});

Deno.test("docs/hosts.md names every host that the sources call", async () => {
  const documented = await documentedHosts();
  const found = await sourceHosts();
  assert(found.size > 30);
  const missing = [...found].filter(([host]) =>
    !uncalled.has(host) && !documented.some((one) => globOf(host).test(one))
  );
  assert.deepEqual(missing, [], "name them on the page, or above as called by nobody");
  const stale = [...uncalled.keys()].filter((host) => !found.has(host));
  assert.deepEqual(stale, [], "no source has these any more");
});

Deno.test("docs/hosts.md names no host that no source calls", async () => {
  const globs = [...(await sourceHosts()).keys()].map(globOf);
  const unknown = (await documentedHosts()).filter((host) => !globs.some((glob) => glob.test(host)));
  assert.deepEqual(unknown, []);
});

Deno.test("docs/hosts.md names variables that are settings, and every search engine's", async () => {
  const page = await Deno.readTextFile(new URL("docs/hosts.md", root));
  const settings = await Deno.readTextFile(new URL("docs/settings.md", root));
  const named = [...page.matchAll(/`([A-Z][A-Z\d]*(?:_[A-Z\d]+)+)`/g)].map(([, name = ""]) => name);
  const known = new Set(["NPM_CONFIG_REGISTRY", "HTTPS_PROXY", "NO_PROXY"]);
  for (const name of named) assert(known.has(name) || settings.includes(`\`${name}\``), name);
});
