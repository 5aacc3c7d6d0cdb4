/** Records are asked for what they hold themselves: every object inherits a `constructor` and a `__proto__`. */

import { placeOf } from "./place.ts";

/**
 * Properties and exported tables that are records from any text to something: the linter sees no types, so it knows
 * them by name. `look_ups_test.ts` finds those that are missing here.
 */
export const textRecords: ReadonlySet<string> = new Set([
  "aliases",
  "attributes",
  "categories",
  "category_scores",
  "choiceKeys",
  "config",
  "cursors",
  "efforts",
  "env",
  "environment",
  "featureWeights",
  "headers",
  "itemKeys",
  "logitBias",
  "metadata",
  "model_group_alias",
  "nestedToolKeys",
  "offers",
  "options",
  "params",
  "providers",
  "query",
  "rename",
  "scores",
  "serviceTiers",
  "thresholds",
  "toolKeys",
]);

/** Records whose keys are the gateway's own words: no text from outside is ever looked up in them. */
export const ownKeys: ReadonlySet<string> = new Set([
  // Of the console's manifest, which becomes a Map as it is read; and of the voices' package.
  "files",
  // Of series, by the names of the table.
  "labels",
  // Names of system calls, which are only listed.
  "missingCalls",
  "refusedCalls",
  // Ids of instances, which the gateway draws itself.
  "grants",
  "holders",
  // Of the report of a command, which is printed as JSON.
  "fields",
  // `content` and `refusal`.
  "logprobs",
  // Numbers of the operators of PDF.js, asked by names that are written in our code.
  "operatorNumbers",
  // Names of counts, listed in receipts.ts.
  "usage",
]);

/** `Record<string, T>` and `{ [name: string]: T }`, also readonly or partial, unless T is `unknown`: a JSON object. */
function isTextRecord(type: Deno.lint.Node | undefined): boolean {
  if (type === undefined) return false;
  if (type.type === "TSTypeLiteral") {
    return type.members.some((member) =>
      member.type === "TSIndexSignature" && member.typeAnnotation?.typeAnnotation.type !== "TSUnknownKeyword"
    );
  }
  if (type.type !== "TSTypeReference" || type.typeName.type !== "Identifier") return false;
  const [first, second] = type.typeArguments?.params ?? [];
  if (type.typeName.name === "Readonly" || type.typeName.name === "Partial") return isTextRecord(first);
  return type.typeName.name === "Record" && first?.type === "TSStringKeyword" &&
    second?.type !== "TSUnknownKeyword";
}

/** Name of a record where it is asked: its variable, or the property that it is. */
function nameOf(node: Deno.lint.Node): string | undefined {
  if (node.type === "Identifier") return node.name;
  if (node.type === "MemberExpression" && !node.computed && node.property.type === "Identifier") {
    return node.property.name;
  }
  return undefined;
}

const isFixed = ({ type }: Deno.lint.Node): boolean => type === "Literal";

/** True behind `Object.hasOwn(record, key) ?`, and for the keys of a loop over the record itself. */
function isGuarded(ctx: Deno.lint.RuleContext, node: Deno.lint.MemberExpression): boolean {
  const [record, key] = [node.object, node.property].map((part) => ctx.sourceCode.getText(part));
  let inner: Deno.lint.Node = node;
  for (const outer of ctx.sourceCode.getAncestors(node).toReversed()) {
    if (outer.type === "ConditionalExpression" && outer.consequent.range[0] === inner.range[0]) {
      if (ctx.sourceCode.getText(outer.test).includes(`Object.hasOwn(${record}, ${key})`)) return true;
    }
    if (outer.type === "ForInStatement" && ctx.sourceCode.getText(outer.right) === record) return true;
    inner = outer;
  }
  return false;
}

function isWritten(node: Deno.lint.MemberExpression): boolean {
  const { parent } = node;
  return parent.type === "AssignmentExpression" && parent.left.range[0] === node.range[0] &&
    parent.left.range[1] === node.range[1];
}

export const ownLookUpsRule: Deno.lint.Rule = {
  create(ctx) {
    if (placeOf(ctx.filename).test) return {};
    const hint = "ownValue(record, key) of shared/util/own_value.ts, Object.hasOwn before it, or a Map";
    const message = "A look-up by a text finds what every object inherits, such as `constructor`";
    const declared = new Set<string>();
    const requested: Deno.lint.MemberExpression[] = [];
    return {
      Identifier(node) {
        if (isTextRecord(node.typeAnnotation?.typeAnnotation)) declared.add(node.name);
      },
      MemberExpression(node) {
        if (node.computed && !isFixed(node.property) && !isWritten(node)) requested.push(node);
      },
      BinaryExpression(node) {
        if (node.operator !== "in" || isFixed(node.left) || node.left.type === "PrivateIdentifier") return;
        ctx.report({
          node,
          message: "`in` finds what every object inherits",
          hint: "Object.hasOwn, or a Map",
        });
      },
      "Program:exit"() {
        for (const node of requested) {
          const { object } = node;
          const name = nameOf(object);
          const isRecord = object.type === "TSAsExpression"
            ? isTextRecord(object.typeAnnotation)
            : name !== undefined && (declared.has(name) || textRecords.has(name));
          if (isRecord && !isGuarded(ctx, node)) ctx.report({ node, message, hint });
        }
      },
    };
  },
};
