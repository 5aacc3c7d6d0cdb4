/** Nothing is swallowed or waved through without a reason in words. */

import { isMember, placeOf } from "./place.ts";

/** True when a comment stands between two offsets. */
function hasComment(ctx: Deno.lint.RuleContext, [start, end]: Deno.lint.Range): boolean {
  return ctx.sourceCode.getAllComments().some(({ range }) => range[0] >= start && range[1] <= end);
}

/** True when the text between the braces names the caught value. */
function usesError(ctx: Deno.lint.RuleContext, node: Deno.lint.CatchClause): boolean {
  if (node.param === null) return false;
  if (node.param.type !== "Identifier") return true;
  const name = node.param.name.replaceAll("$", "\\$");
  return new RegExp(`(?<![\\w$.])${name}(?![\\w$])`).test(ctx.sourceCode.getText(node.body));
}

/** A promise's handler that looks at nothing and does nothing: `.catch(() => {})`, `.catch(() => undefined)`. */
function isDeaf(node: Deno.lint.Node | undefined): boolean {
  if (node === undefined) return false;
  if (node.type !== "ArrowFunctionExpression" && node.type !== "FunctionExpression") return false;
  if (node.params.length > 0 || node.body === null) return false;
  if (node.body.type === "BlockStatement") return node.body.body.length === 0;
  return node.body.type === "Identifier" && node.body.name === "undefined";
}

export const silentCatchRule: Deno.lint.Rule = {
  create(ctx) {
    const hint = "Handle the error, pass it on, or say in a comment why it may be ignored";
    return {
      CatchClause(node) {
        if (usesError(ctx, node) || hasComment(ctx, node.range)) return;
        ctx.report({ node, message: "This catch ignores its error without a reason", hint });
      },
      CallExpression(node) {
        if (!isMember(node.callee, { property: "catch" })) return;
        if (!isDeaf(node.arguments[0]) || hasComment(ctx, node.range)) return;
        ctx.report({ node, message: "This catch ignores its error without a reason", hint });
      },
    };
  },
};

/** `pipeThrough` costs a pull loop several times its memory and its latency in the stream path. */
export const pipeRule: Deno.lint.Rule = {
  create(ctx) {
    if (!placeOf(ctx.filename).server) return {};
    return {
      CallExpression(node) {
        if (!isMember(node.callee, { property: "pipeThrough" })) return;
        ctx.report({ node, message: "No pipeThrough in the server: one decoder in one pull loop" });
      },
    };
  },
};

const DIRECTIVE = /^\s*deno-lint-ignore(-file)?\b(.*)/s;

/** `// deno-lint-ignore rule -- reason`: what is waved through says why. */
export const reasonRule: Deno.lint.Rule = {
  create(ctx) {
    return {
      Program() {
        for (const { value, range } of ctx.sourceCode.getAllComments()) {
          const rest = DIRECTIVE.exec(value)?.[2];
          if (rest === undefined || /\s--\s+\S+/.test(rest)) continue;
          ctx.report({ range, message: "A suppression says why: `deno-lint-ignore rule -- reason`" });
        }
      },
    };
  },
};
