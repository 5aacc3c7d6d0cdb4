/** The ledger waits for nothing that may never come: each wait for a kept promise names its end. */

import { isMember, placeOf } from "./place.ts";

/** Functions that end the wait that they are handed. */
const ending = new Set(["within", "endsWithin", "endStep"]);

/** `work` of `await work`, `this.#last` of `await this.#last`, `wait.promise` of whatever is awaited. */
function isKept(node: Deno.lint.Node): boolean {
  return node.type === "Identifier" || node.type === "MemberExpression" ||
    (node.type === "ChainExpression" && node.expression.type === "MemberExpression");
}

function isEnded(ctx: Deno.lint.RuleContext, node: Deno.lint.Node): boolean {
  return ctx.sourceCode.getAncestors(node).some((outer) =>
    outer.type === "CallExpression" && outer.callee.type === "Identifier" && ending.has(outer.callee.name)
  );
}

/** True behind a comment that begins with `Ends` on the line before, or the lines before. */
function namesItsEnd(ctx: Deno.lint.RuleContext, { range: [start] }: Deno.lint.Node): boolean {
  const { text } = ctx.sourceCode;
  const line = text.lastIndexOf("\n", start) + 1;
  const before = text.slice(0, line).split("\n").toReversed().slice(1);
  const comments: string[] = [];
  for (const one of before) {
    if (!/^\s*\/\//.test(one)) break;
    comments.unshift(one.replace(/^\s*\/\/\s*/, ""));
  }
  return comments[0]?.startsWith("Ends ") ?? false;
}

export const endedWaitsRule: Deno.lint.Rule = {
  create(ctx) {
    const { path, test } = placeOf(ctx.filename);
    if (test || !path.startsWith("server/billing/ledger/")) return {};
    const judge = (node: Deno.lint.Node, what: string) => {
      if (isEnded(ctx, node) || namesItsEnd(ctx, node)) return;
      ctx.report({
        node,
        message: `${what} says how it ends`,
        hint: "`within` of shared/util/within.ts, or a comment before it: `// Ends with …`",
      });
    };
    return {
      AwaitExpression(node) {
        if (isKept(node.argument)) judge(node, "A wait for a kept promise");
      },
      MemberExpression(node) {
        const outer = ctx.sourceCode.getAncestors(node);
        const isAwaited = outer.some((one) => one.type === "AwaitExpression" && !isKept(one.argument));
        if (isAwaited && isMember(node, { property: "promise" })) judge(node, "A wait for a kept promise");
      },
      NewExpression(node) {
        if (node.callee.type === "Identifier" && node.callee.name === "Promise") {
          judge(node, "A promise made by hand");
        }
      },
      CallExpression(node) {
        if (isMember(node.callee, { object: "Promise", property: "withResolvers" })) {
          judge(node, "A promise made by hand");
        }
      },
    };
  },
};
