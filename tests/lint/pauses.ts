/** A pause of long work is one of `shared/util/pause.ts`: in an immediate the runtime does not look at its sockets. */

import { isMember, placeOf } from "./place.ts";

const HOME = "shared/util/pause.ts";
const timers = new Set(["node:timers", "node:timers/promises", "timers", "timers/promises"]);
/** Names that stand for a turn of the event loop. */
const turns = new Set(["setImmediate", "scheduler"]);

/** `0`, or nothing at all. */
const isNoTime = (node: Deno.lint.Node | undefined): boolean =>
  node === undefined || (node.type === "Literal" && node.value === 0);

export const pausesRule: Deno.lint.Rule = {
  create(ctx) {
    const { path, test } = placeOf(ctx.filename);
    if (test || path === HOME) return {};
    const report = (node: Deno.lint.Node, what: string) =>
      ctx.report({
        node,
        message: `${what} is no pause: while it is asked for, nothing is read from the network`,
        hint: `\`runWork\`, \`nextLongStep\` or \`pause\` of ${HOME.replace(/[^/]+$/, "")}`,
      });
    const imported = new Set<string>();
    return {
      ImportDeclaration(node) {
        if (!timers.has(String(node.source.value))) return;
        for (const one of node.specifiers) {
          if (one.type !== "ImportSpecifier" || one.imported.type !== "Identifier") continue;
          imported.add(one.local.name);
          if (turns.has(one.imported.name)) report(one, one.imported.name);
        }
      },
      CallExpression({ callee, arguments: [, delay] }) {
        if (callee.type !== "Identifier") return;
        if (callee.name === "setImmediate" && !imported.has(callee.name)) report(callee, callee.name);
        if (callee.name === "setTimeout" && isNoTime(delay)) report(callee, "setTimeout without a time");
      },
      MemberExpression(node) {
        const isTurn = isMember(node, { property: "setImmediate" }) ||
          isMember(node, { object: "scheduler", property: "yield" });
        if (isTurn && !imported.has("scheduler")) report(node, "An immediate");
      },
    };
  },
};
