/** The words of the code base: one for one thing, and those that the field uses. */

import { placeOf } from "./place.ts";

/** Words that names of files, types and functions do not use, and what is written instead. */
export const bannedWords: ReadonlyMap<string, string> = new Map(Object.entries({
  asked: "requested, input",
  census: "filter",
  cipher: "encrypted reasoning",
  ciphers: "encrypted reasoning",
  door: "module, route or API",
  epoch: "cache version",
  epochs: "cache versions",
  given: "input, text",
  hangup: "client disconnect",
  house: "code base",
  lane: "shard",
  lanes: "shards",
  neighbour: "client, instance",
  orphan: "interrupted request",
  payer: "billing context",
  peer: "remote address",
  poster: "projector",
  posting: "projection",
  reaper: "retention job",
  seat: "no-op stage",
  sweeper: "retention job",
  tab: "ledger transaction",
  told: "reported, text fallback",
  unpaid: "budget exceeded",
  unsaid: "unsupported",
  whoever: "client",
  wish: "preference, request",
  world: "runtime",
}));

/** Words that comments of a folder do not use of its own things. */
const bannedInComments: readonly (readonly [folder: string, word: RegExp, instead: string])[] = [
  ["server/billing/ledger/", /\bblocks?\b/i, "batch"],
  ["server/billing/ledger/", /\bgroups?\b(?! commit)/i, "batch"],
  ["server/billing/ledger/quota/", /\b(?:a|the|its|larger|first|no|whose|of this) shares?\b/i, "quota"],
  ["server/billing/rate_limits/", /\b(?:a|the|its|larger|first|no|whose|of this) shares?\b/i, "quota"],
];

/** The words of `camelCase`, `PascalCase`, `snake_case` and `UPPER_CASE` names. */
const wordsOf = (name: string): readonly string[] =>
  name.split(/_|(?<=[a-z0-9])(?=[A-Z])/).map((word) => word.toLowerCase());

function firstBanned(name: string): string | undefined {
  return wordsOf(name).find((word) => bannedWords.has(word));
}

export const plainNamesRule: Deno.lint.Rule = {
  create(ctx) {
    const { path } = placeOf(ctx.filename);
    const report = (node: Deno.lint.Node, word: string) =>
      ctx.report({ node, message: `The code base does not say "${word}": write ${bannedWords.get(word)}` });
    const check = (id: Deno.lint.Identifier | null) => {
      const word = id === null ? undefined : firstBanned(id.name);
      if (id !== null && word !== undefined) report(id, word);
    };
    return {
      Program(node) {
        const word = firstBanned(path.split("/").at(-1)?.replace(/\.tsx?$/, "") ?? "");
        if (word !== undefined) report(node, word);
        for (const [folder, banned, instead] of bannedInComments) {
          if (!path.startsWith(folder)) continue;
          for (const { value, range } of ctx.sourceCode.getAllComments()) {
            const found = banned.exec(value)?.[0];
            const message = `The comments here do not say "${found}": write ${instead}`;
            if (found !== undefined) ctx.report({ range, message });
          }
        }
      },
      FunctionDeclaration: ({ id }) => check(id),
      ClassDeclaration: ({ id }) => check(id),
      TSInterfaceDeclaration: ({ id }) => check(id),
      TSTypeAliasDeclaration: ({ id }) => check(id),
      MethodDefinition({ key }) {
        if (key.type === "Identifier") check(key);
      },
    };
  },
};
