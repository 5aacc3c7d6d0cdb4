/** How a function that is made for one request is kept. */

import { placeOf } from "./place.ts";

const HANDLER = /^on[a-z]+$/;

/**
 * `notes.cut = () => …`: V8 takes a function that is written behind the assignment to a property for a method, and
 * makes it in the old part of the heap. All that it can reach then stays until the next full collection: of a
 * request everything. Through a constant of its own it is made where everything else is. What handles events
 * (`worker.onmessage`) belongs to something that lives long.
 */
export const assignedClosureRule: Deno.lint.Rule = {
  create(ctx) {
    if (!placeOf(ctx.filename).server) return {};
    const report = ({ left, right }: Deno.lint.AssignmentExpression) => {
      if (left.type === "MemberExpression" && HANDLER.test(ctx.sourceCode.getText(left.property))) return;
      ctx.report({
        node: right,
        message: "A function written behind the assignment outlives its request",
        hint: "Give it a name first: `const cut = () => …; notes.cut = cut;`",
      });
    };
    return {
      'AssignmentExpression[left.type="MemberExpression"][right.type="ArrowFunctionExpression"]': report,
      'AssignmentExpression[left.type="MemberExpression"][right.type="FunctionExpression"]': report,
    };
  },
};
