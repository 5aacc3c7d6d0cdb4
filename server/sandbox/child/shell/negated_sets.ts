/**
 * `[!a-z]` in the patterns of `case` and `[[ ]]`: just-bash takes the mark for one of the characters there, and knows
 * `[^a-z]`, which bash has for the same. In the regular expressions of `=~` the mark is one of the characters, and
 * just-bash takes it for the negation.
 */

import type { Command } from "./interpreter.ts";

type Case = Extract<Command, { type: "Case" }>;
type Conditional = Extract<Command, { type: "ConditionalCommand" }>;
type Condition = Conditional["expression"];
type Word = Case["word"];

const known = new WeakMap<Command, Command>();

/** With sets as just-bash takes them. */
export function withKnownSets(command: Command): Command {
  if (command.type !== "Case" && command.type !== "ConditionalCommand") return command;
  const made = known.get(command) ?? (command.type === "Case" ? caseOf(command) : conditionalOf(command));
  known.set(command, made);
  return made;
}

const caseOf = (command: Case): Command => ({
  ...command,
  items: command.items.map((item) => ({ ...item, patterns: item.patterns.map(wordOf) })),
});

const conditionalOf = (command: Conditional): Command => ({
  ...command,
  expression: conditionOf(command.expression),
});

function conditionOf(condition: Condition): Condition {
  switch (condition.type) {
    case "CondBinary":
      return {
        ...condition,
        right: condition.operator === "=~" ? expressionOf(condition.right) : wordOf(condition.right),
      };
    case "CondAnd":
    case "CondOr":
      return { ...condition, left: conditionOf(condition.left), right: conditionOf(condition.right) };
    case "CondNot":
      return { ...condition, operand: conditionOf(condition.operand) };
    case "CondGroup":
      return { ...condition, expression: conditionOf(condition.expression) };
    default:
      return condition;
  }
}

const wordOf = (word: Word): Word => ({
  ...word,
  parts: word.parts.map((part) =>
    part.type === "Glob" ? { ...part, pattern: withCaret(part.pattern) } : part
  ),
});

/** Sets, a `]` at the beginning of one is in it; and what is escaped outside of them. */
const SETS = /\\.|\[([!^]?)(\]?(?:\[:\w+:\]|\\.|[^\]\\])*\])/gs;

const withCaret = (pattern: string): string =>
  pattern.replaceAll(
    SETS,
    (whole, mark: string | undefined, rest: string) => mark === "!" ? `[^${rest}` : whole,
  );

const expressionOf = (word: Word): Word => ({
  ...word,
  parts: word.parts.map((part) => {
    const [, characters] = part.type === "Glob" ? /^\[!([^\]]*)\]$/s.exec(part.pattern) ?? [] : [];
    if (characters === undefined) return part;
    return characters === ""
      ? { type: "Literal", value: "!" }
      : { type: "Glob", pattern: withMarkInside(characters) };
  }),
});

/** The mark behind the other characters, where it begins and ends no range. */
function withMarkInside(characters: string): string {
  const [first = "", end] = characters;
  if (first === "-" && end !== undefined) return `[${end}!${characters}]`;
  if (first === "^") return `[\\${characters}!]`;
  return characters.endsWith("-") ? `[-${characters.slice(0, -1)}!]` : `[${characters}!]`;
}
