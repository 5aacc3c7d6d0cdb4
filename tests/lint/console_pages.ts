/**
 * Holds what the console's policy and its tests rest on: one place for calls, no markup made of text, no inline
 * style.
 */

import { isMember, placeOf } from "./place.ts";

/** `api.ts` makes every call; `app.ts` hands it the browser's `fetch`. */
const callers = ["console/api.ts", "console/app.ts"];

const markup = [
  "dangerouslySetInnerHTML",
  "innerHTML",
  "outerHTML",
  "insertAdjacentHTML",
  "srcdoc",
  "srcDoc",
];

function visitorOf(path: string, report: (node: Deno.lint.Node, message: string) => void) {
  return {
    CallExpression(node: Deno.lint.CallExpression) {
      if (callers.includes(path)) return;
      if (node.callee.type === "Identifier" && node.callee.name === "fetch") {
        report(node, "Pages call the gateway through console/api.ts");
      }
    },
    JSXAttribute(node: Deno.lint.JSXAttribute) {
      if (node.name.type !== "JSXIdentifier") return;
      const { name } = node.name;
      if (name === "style") report(node, "The page's policy forbids inline style: use a class");
      if (markup.includes(name)) report(node, "Texts are shown as text, never as markup");
    },
    MemberExpression(node: Deno.lint.MemberExpression) {
      if (markup.some((property) => isMember(node, { property }))) {
        report(node, "Texts are shown as text, never as markup");
      }
    },
  };
}

export const consolePagesRule: Deno.lint.Rule = {
  create(ctx) {
    const { path, test } = placeOf(ctx.filename);
    if (test || !path.startsWith("console/")) return {};
    return visitorOf(path, (node, message) => ctx.report({ node, message }));
  },
};
