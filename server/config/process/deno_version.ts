/** The oldest Deno that runs this program. */

const OLDEST = [2, 9] as const;

/** The sentence that ends a task on an older Deno; undefined on one that is new enough, or whose version is no number. */
export function oldDenoSentence(version: string, task = "start"): string | undefined {
  const [major, minor] = version.split(".").map(Number);
  if (major === undefined || minor === undefined || Number.isNaN(major + minor)) return undefined;
  const [oldestMajor, oldestMinor] = OLDEST;
  const isOld = major < oldestMajor || (major === oldestMajor && minor < oldestMinor);
  return isOld
    ? `Deno ${
      OLDEST.join(".")
    } or newer is needed; this is ${version}. With Node's npm: npx --yes deno task ${task}`
    : undefined;
}
