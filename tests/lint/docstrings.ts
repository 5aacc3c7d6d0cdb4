/** Docstrings begin with a verb or a noun, as those of Hono and of Deno's standard library. */

/** First words of a sentence that names its thing by a clause, or not at all. */
const OPENINGS = /^\*[\s*]*(What|Of|Those|Who)\b/;

export const docstringsRule: Deno.lint.Rule = {
  create(ctx) {
    return {
      Program() {
        for (const { type, value, range } of ctx.sourceCode.getAllComments()) {
          const word = type === "Block" ? OPENINGS.exec(value)?.[1] : undefined;
          if (word === undefined) continue;
          ctx.report({
            range,
            message: `A docstring does not begin with "${word}"`,
            hint: "Begin with a verb (a function) or a noun (a type, a value): say what the thing is",
          });
        }
      },
    };
  },
};
