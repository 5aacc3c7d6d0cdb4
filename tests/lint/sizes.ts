/** How long a file and a function may be, and how many parameters stand in a row. */

import { type Place, placeOf } from "./place.ts";

type Fn =
  | Deno.lint.FunctionDeclaration
  | Deno.lint.FunctionExpression
  | Deno.lint.ArrowFunctionExpression;

/** Schemas are long lists of short lines; tests are long lists of short cases. */
function fileLimit({ path, test }: Place): number {
  if (test) return 500;
  return path.startsWith("shared/") || path.endsWith("_schema.ts") ? 400 : 300;
}

const FUNCTION_LINES = 40;
/** A component's markup counts as lines, and a test's cases do. */
const COMPONENT_LINES = 60;

function functionLimit({ path, test }: Place): number {
  return test || path.endsWith(".tsx") ? COMPONENT_LINES : FUNCTION_LINES;
}

/** Lines between two offsets of a text, both ends included. */
function linesIn(text: string, [start, end]: Deno.lint.Range): number {
  let lines = 1;
  for (let at = text.indexOf("\n", start); at !== -1 && at < end - 1; at = text.indexOf("\n", at + 1)) {
    lines++;
  }
  return lines;
}

/** True for what may stand third: an object of options, by its pattern or its type. */
function isOptions(parameter: Deno.lint.Parameter): boolean {
  if (parameter.type === "AssignmentPattern") return isOptions(asParameter(parameter.left));
  if (parameter.type === "ObjectPattern") return true;
  if (parameter.type !== "Identifier") return false;
  const type = parameter.typeAnnotation?.typeAnnotation.type;
  return type === "TSTypeReference" || type === "TSTypeLiteral" || type === "TSIntersectionType";
}

/** Casts what is left of a default, a parameter by itself. */
function asParameter(node: Deno.lint.Node): Deno.lint.Parameter {
  return node as Deno.lint.Parameter;
}

/** True when the number of parameters is somebody else's choice: the function is an argument of a call. */
function isCallback(node: Fn): boolean {
  return node.parent.type === "CallExpression" || node.parent.type === "NewExpression";
}

function tooManyParameters(node: Fn): boolean {
  const [, , third, fourth] = node.params;
  if (third === undefined || isCallback(node)) return false;
  return fourth !== undefined || !isOptions(third);
}

export const sizesRule: Deno.lint.Rule = {
  create(ctx) {
    const place = placeOf(ctx.filename);
    const text = ctx.sourceCode.text;
    const look = (node: Fn) => {
      const limit = functionLimit(place);
      const lines = linesIn(text, node.range);
      if (lines > limit) ctx.report({ node, message: `A function of ${lines} lines: at most ${limit}` });
      if (!tooManyParameters(node)) return;
      ctx.report({ node, message: "At most two positional parameters, then an object of options" });
    };
    return {
      Program(node) {
        const limit = fileLimit(place);
        const lines = linesIn(text, [0, text.length]);
        if (lines > limit) ctx.report({ node, message: `A file of ${lines} lines: at most ${limit}` });
      },
      FunctionDeclaration: look,
      FunctionExpression: look,
      ArrowFunctionExpression: look,
    };
  },
};
