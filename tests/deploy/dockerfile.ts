/** Reads the instructions of a Dockerfile, as far as deploy/Dockerfile uses them; others are an error. */

export interface Instruction {
  readonly name: string;
  /** Its words behind the name, as they stand there. */
  readonly text: string;
}

export interface Stage {
  readonly image: string;
  /** Name for `COPY --from`. */
  readonly as: string | undefined;
  readonly instructions: readonly Instruction[];
}

const known = new Set(
  [
    "ARG",
    "CMD",
    "COPY",
    "ENTRYPOINT",
    "ENV",
    "EXPOSE",
    "HEALTHCHECK",
    "LABEL",
    "RUN",
    "STOPSIGNAL",
    "USER",
    "VOLUME",
  ],
);

function* instructionsOf(text: string): Generator<Instruction> {
  const joined = text.replaceAll(/^\s*#.*\n/gm, "").replaceAll(/\\\n\s*/g, "");
  for (const line of joined.split("\n")) {
    const [, name = "", rest = ""] = /^(\w+)\s+(.*)$/.exec(line.trim()) ?? [];
    if (name !== "") yield { name, text: rest };
    else if (line.trim() !== "") throw new Error(`Not an instruction: ${line}`);
  }
}

export function readStages(text: string): readonly Stage[] {
  const stages: { image: string; as: string | undefined; instructions: Instruction[] }[] = [];
  for (const instruction of instructionsOf(text)) {
    if (instruction.name === "FROM") {
      const [image = "", , as] = instruction.text.split(/\s+/);
      stages.push({ image, as, instructions: [] });
      continue;
    }
    if (!known.has(instruction.name) && instruction.name !== "WORKDIR") {
      throw new Error(`An instruction that the test does not know: ${instruction.name}`);
    }
    stages.at(-1)?.instructions.push(instruction);
  }
  return stages;
}

/** `NAME=value` pairs; a value may stand in quotes. */
export function pairsOf(text: string): readonly (readonly [string, string])[] {
  return [...text.matchAll(/([\w.]+)=(?:"([^"]*)"|(\S*))/g)]
    .map(([, name = "", quoted, bare = ""]) => [name, quoted ?? bare] as const);
}

/** The words of an instruction in its form of a list. */
export function wordsOf(text: string): readonly string[] {
  const words: unknown = JSON.parse(text);
  if (!Array.isArray(words)) throw new Error(`Not a list of words: ${text}`);
  return words.map(String);
}
