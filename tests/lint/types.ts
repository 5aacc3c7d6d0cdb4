/** No way around the type checker, but for casts in helpers whose name owns up to them. */

import { placeOf } from "./place.ts";

const SILENCERS = /@ts-(ignore|expect-error|nocheck)/;

export const anyOrBangRule: Deno.lint.Rule = {
  create(ctx) {
    const { sourceCode } = ctx;
    const definite = (node: Deno.lint.Node) =>
      ctx.report({
        node,
        message: "A field that may be missing says so in its type; it does not promise with `!`",
      });
    return {
      Program() {
        for (const comment of sourceCode.getAllComments()) {
          if (!SILENCERS.test(comment.value)) continue;
          ctx.report({ range: comment.range, message: "The type checker is not silenced" });
        }
      },
      TSAnyKeyword: (node) => ctx.report({ node, message: "No explicit any: take unknown and narrow it" }),
      TSNonNullExpression: (node) => ctx.report({ node, message: "No `!`: handle the missing value" }),
      VariableDeclarator(node) {
        if (node.definite) definite(node);
      },
      PropertyDefinition(node) {
        if (/^[^=:({]*!\s*:/.test(sourceCode.getText(node))) definite(node);
      },
    };
  },
};

/** Helpers that may cast: `asUsage`, `toBytes`, `castRow`, and guards (`isRecord`). */
const CASTING = /^(as|to|cast|is)([A-Z]|$)/;

/** The name a function goes by: its own, its variable's or its property's. */
function nameOf(node: Deno.lint.Node): string | undefined {
  if (node.type === "FunctionDeclaration") return node.id?.name;
  if (node.type !== "ArrowFunctionExpression" && node.type !== "FunctionExpression") return undefined;
  const { parent } = node;
  if (parent.type === "VariableDeclarator" && parent.id.type === "Identifier") return parent.id.name;
  if (parent.type !== "Property" && parent.type !== "MethodDefinition") return undefined;
  return parent.key.type === "Identifier" ? parent.key.name : undefined;
}

export const castRule: Deno.lint.Rule = {
  create(ctx) {
    const { sourceCode } = ctx;
    if (placeOf(ctx.filename).test) return {};
    const look = (node: Deno.lint.TSAsExpression | Deno.lint.TSTypeAssertion) => {
      if (/\bas\s+const$/.test(sourceCode.getText(node))) return;
      if (node.parent.type === "TSAsExpression") return;
      const inHelper = sourceCode.getAncestors(node).some((one) => CASTING.test(nameOf(one) ?? ""));
      if (inHelper) return;
      ctx.report({
        node,
        message: "A cast stands in a small helper named for it",
        hint: "Parse or narrow instead, or move it into a function named as…, to…, cast… or is…",
      });
    };
    return { TSAsExpression: look, TSTypeAssertion: look };
  },
};
