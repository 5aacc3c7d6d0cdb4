/** Chance in tests: one seed for all, and runs of properties that end. */

import { isMember, placeOf } from "./place.ts";

/** Where the seed is drawn and properties are run. */
const own = ["tests/support/seed.ts", "tests/support/property.ts"];

export const oneSeedRule: Deno.lint.Rule = {
  create(ctx) {
    const place = placeOf(ctx.filename);
    if (!place.test || own.includes(place.path)) return {};
    return {
      CallExpression(node) {
        const [first] = node.arguments;
        if (
          isMember(node.callee, { object: "fc", property: "assert" }) ||
          isMember(node.callee, { object: "fc", property: "check" })
        ) {
          ctx.report({
            node,
            message: "Properties run by `assertProperty` of tests/support/property.ts",
            hint: "It takes the seed of the run, and shrinks for a while only",
          });
        }
        if (
          isMember(node.callee, { property: "get" }) && first?.type === "Literal" &&
          /^(?:TOLLGATE_)?SEED$/.test(String(first.value))
        ) {
          ctx.report({ node, message: "The seed stands in tests/support/seed.ts" });
        }
        if (isMember(node.callee, { object: "Math", property: "random" })) {
          ctx.report({
            node,
            message: "A test draws from `seeded(seed)`",
            hint: "tests/fuzz/random.ts and tests/support/seed.ts",
          });
        }
      },
    };
  },
};
