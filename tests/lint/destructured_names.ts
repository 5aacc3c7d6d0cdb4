/** A destructuring takes the name that the thing has, unless another thing of the file has that name. */

import { placeOf } from "./place.ts";

/** Names that say nothing by themselves, that the language keeps, or that another rule reserves. */
const POOR: ReadonlySet<string> = new Set([
  "arguments",
  "const",
  "data",
  "default",
  "enum",
  "fetch",
  "function",
  "promise",
  "value",
]);

/** A word or several of ours: names on the wire (`tool_calls`, `$ref`, `ETag`) and of one letter may be renamed. */
const isPlain = (name: string): boolean => /^[a-z][a-zA-Z0-9]+$/.test(name) && !POOR.has(name);

/** A new name that says something else on purpose: not used (`_`), or a constant. */
const isMarked = (name: string): boolean => name.startsWith("_") || name === name.toUpperCase();

/** True for the name of a property of another thing. */
function isPropertyName(node: Deno.lint.Identifier): boolean {
  const { parent } = node;
  if (parent.type === "MemberExpression") return parent.property === node && !parent.computed;
  if (parent.type === "Property") return parent.key === node && !parent.shorthand && !parent.computed;
  return /^(TSPropertySignature|TSMethodSignature|PropertyDefinition|MethodDefinition)$/.test(parent.type) &&
    "key" in parent && parent.key === node;
}

interface Renaming {
  readonly node: Deno.lint.Node;
  readonly from: string;
  readonly to: string;
}

/** `{ from: to }` or `{ from: to = 1 }` of a pattern. */
function renamingOf(node: Deno.lint.Property): Renaming | undefined {
  const { key, value, parent } = node;
  if (parent.type !== "ObjectPattern" || node.computed || key.type !== "Identifier") return undefined;
  const name = value.type === "AssignmentPattern" ? value.left : value;
  if (name.type !== "Identifier" || name.name === key.name) return undefined;
  return { node, from: key.name, to: name.name };
}

export const destructuredNamesRule: Deno.lint.Rule = {
  create(ctx) {
    if (placeOf(ctx.filename).test) return {};
    const renamings: Renaming[] = [];
    const names = new Set<string>();
    return {
      Property(node) {
        const renaming = renamingOf(node);
        if (renaming && isPlain(renaming.from) && !isMarked(renaming.to)) renamings.push(renaming);
      },
      Identifier(node) {
        if (!isPropertyName(node)) names.add(node.name);
      },
      "Program:exit"() {
        for (const { node, from, to } of renamings) {
          if (names.has(from)) continue;
          ctx.report({
            node,
            message: `"${from}" is renamed to "${to}", and nothing else is called ${from}`,
          });
        }
      },
    };
  },
};
