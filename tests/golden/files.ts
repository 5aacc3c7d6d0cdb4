/** The stories' files. */

import { parseStory, type Story } from "./story.ts";

const folder = new URL("./", import.meta.url);

/** The stories of a wire, by their file's name without its ending. */
export function storiesOf(wire: string): ReadonlyMap<string, Story> {
  const names = namesIn(wire).filter((name) => name.endsWith(".txt")).sort();
  return new Map(names.map((name) => {
    const path = `${wire}/${name}`;
    return [name.replace(/\.txt$/, ""), parseStory(path, Deno.readTextFileSync(new URL(path, folder)))];
  }));
}

function namesIn(wire: string): readonly string[] {
  try {
    return [...Deno.readDirSync(new URL(`${wire}/`, folder))].map(({ name }) => name);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return [];
    throw error;
  }
}

export const readStory = (path: string): string => Deno.readTextFileSync(new URL(path, folder));

export const writeStory = (path: string, text: string): void =>
  Deno.writeTextFileSync(new URL(path, folder), text);
