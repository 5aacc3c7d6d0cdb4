/** Flags of commands that do not exist: which one, and which was probably meant. */

import { closestMatch } from "leven";

/** Most characters that a misspelled flag may differ by from the one that was meant. */
const MOST_DIFFERENT = 3;
/** Longer texts are compared with none. */
const MOST_COMPARED = 60;

interface FlagCheck {
  /** As the command is called: `keys update`. */
  readonly command: string;
  /** Names that were given, without dashes. */
  readonly flags: Iterable<string>;
  /** Names that it takes, without dashes. */
  readonly known: readonly string[];
}

/** The sentence about the first flag that the command does not take; undefined where it takes all. */
export function unknownFlagSentence({ command, flags, known }: FlagCheck): string | undefined {
  const unknown = [...flags].find((flag) => !known.includes(flag));
  if (unknown === undefined) return undefined;
  const near = nearest(unknown, known);
  const hint = near === undefined ? "" : ` Did you mean --${near}?`;
  const takes = known.length === 0
    ? "It takes none."
    : `It takes ${known.map((name) => `--${name}`).join(", ")}.`;
  return `${command} has no --${unknown.slice(0, MOST_COMPARED)}.${hint} ${takes}`;
}

const plainFlag = (flag: string): string => flag.toLowerCase().replaceAll(/[-_.]|=.*$/g, "");

/** Another spelling (`limit-reset`), the beginning of one alone (`amount`), or a slip of the hand. */
function nearest(flag: string, known: readonly string[]): string | undefined {
  if (flag.length > MOST_COMPARED) return undefined;
  const plain = plainFlag(flag);
  const same = known.find((name) => plainFlag(name) === plain);
  if (same !== undefined) return same;
  const [only, ...others] = known.filter((name) => plainFlag(name).startsWith(plain));
  if (only !== undefined && others.length === 0) return only;
  // A short name is another one after a few changes.
  return closestMatch(flag, known, { maxDistance: Math.min(MOST_DIFFERENT, Math.ceil(plain.length / 3)) });
}
