import assert from "node:assert/strict";
import { ownKeys, textRecords } from "./look_ups.ts";
import plugin from "./mod.ts";

function complaints(source: string, file = "server/api/request_checks.ts"): number {
  const found = Deno.lint.runPlugin(plugin, file, source);
  return found.filter(({ id }) => id === "tollgate/own-look-ups").length;
}

const table = 'const tiers: Readonly<Record<string, string>> = { a: "b" };\n';

Deno.test("own-look-ups wants look-ups by a text to ask for what a record holds itself", () => {
  for (
    const source of [
      `${table}const f = (tier: string) => tiers[tier];`,
      `${table}const f = (tier: string) => tiers[tier.toLowerCase()] ?? "c";`,
      `${table}const f = (tier?: string) => tiers[tier ?? ""];`,
      `${table}const f = (tier: string) => tiers?.[tier];`,
      "const khz: { readonly [name: string]: number } = {}; const f = (rate: string) => khz[rate];",
      "const tellers: Partial<Record<string, Teller>> = {}; const f = (kind: string) => tellers[kind]?.();",
      "function f(words: Record<string, string>, word: string) { return words[word]; }",
      "function f(deps: Deps, model: string) { return deps.config.aliases[model] ?? model; }",
      "function f({ aliases }: Config, model: string) { return aliases[model]; }",
      "const f = (scores: Json, kind: string) => scores?.[kind];",
      "const f = (table: object, type: string) => (table as Record<string, Handler>)[type];",
      "const f = (error: object, key: string) => key in error;",
      `${table}const f = (tier: string) => Object.hasOwn(tiers, other) ? tiers[tier] : tier;`,
    ]
  ) assert.equal(complaints(source), 1, source);
});

Deno.test("own-look-ups leaves lists, closed tables, fixed names and guarded look-ups alone", () => {
  for (
    const source of [
      `${table}const f = (tier: string) => ownValue(tiers, tier);`,
      `${table}const f = (tier: string) => Object.hasOwn(tiers, tier) ? tiers[tier] ?? tier : tier;`,
      `${table}const first = tiers["a"];`,
      "const f = (headers: Headers) => { for (const name in headers) send(name, headers[name]); };",
      "const kinds: { readonly [K in Kind]: number } = all; const f = (kind: Kind) => kinds[kind];",
      "const f = (list: readonly string[], at: number) => list[at];",
      "const shown: Record<string, string> = {}; const f = (key: string) => { shown[key] = key; };",
      'const f = (error: object) => "code" in error;',
      "class A { #a = 1; is(other: object) { return #a in other; } }",
    ]
  ) assert.equal(complaints(source), 0, source);
  assert.equal(complaints("const f = (error: object, key: string) => key in error;", "tests/a_test.ts"), 0);
});

const root = new URL("../../", import.meta.url);

function* sourcesIn(folder: URL): Generator<readonly [string, string]> {
  for (const { name, isDirectory } of Deno.readDirSync(folder)) {
    const url = new URL(isDirectory ? `${name}/` : name, folder);
    if (isDirectory) yield* sourcesIn(url);
    else if (/(?<!_test)\.ts$/.test(name)) yield [url.pathname, Deno.readTextFileSync(url)];
  }
}

/** Properties and exported constants that are records from any text to something known. */
const declarations = [
  /^ +(?:readonly )?(\w+)\??: (?:Readonly<|Partial<)*(?:Record<string, |\{ (?:readonly )?\[\w+: string\]: )(?!unknown)/gm,
  /^ +(\w+): z\.record\(z\.string\(\)[^,]*, (?!z\.unknown)/gm,
  /\{ (\w+): z\.record\((?!z\.string\(\), z\.unknown)/g,
  /^export const (\w+): (?:Readonly<|Partial<)*(?:Record<string, |\{ (?:readonly )?\[\w+: string\]: )(?!unknown)/gm,
];

Deno.test("own-look-ups knows every property that is a record from any text", () => {
  const missing = new Map<string, string>();
  let found = 0;
  for (const folder of ["server/", "shared/"]) {
    for (const [path, text] of sourcesIn(new URL(folder, root))) {
      for (const [, name = ""] of declarations.flatMap((one) => [...text.matchAll(one)])) {
        found++;
        if (!textRecords.has(name) && !ownKeys.has(name)) missing.set(name, path);
      }
    }
  }
  assert(found > 30);
  assert.deepEqual([...missing], []);
});
