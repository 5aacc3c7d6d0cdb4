/** Which names at different providers mean the same model. */

/** `accounts/fireworks/models/deepseek-v4p1-flash` and `deepseek/deepseek-v4.1-flash` → `deepseek-v4-1-flash` */
export function bareName(name: string): string {
  const last = name.split("/").at(-1) ?? name;
  return last.toLowerCase()
    .replace(/^(?:global|regional|us|eu|apac|jp|au|ca)\./, "")
    .replace(
      /^(?:anthropic|openai|meta|mistral|deepseek|qwen|amazon|google|zai|moonshotai|minimax|nvidia)\./,
      "",
    )
    .replace(/-v\d+:\d+$/, "")
    .replace(/(?<=\d)p(?=\d)/g, ".")
    .replaceAll(/[.@]/g, "-");
}

/** The ids that there are, by bare name. The first to claim a name keeps it. */
export class Names {
  readonly #ids = new Map<string, string>();

  claim(id: string): string {
    const bare = bareName(id);
    const known = this.#ids.get(bare);
    if (known !== undefined) return known;
    this.#ids.set(bare, id);
    return id;
  }
}

/** The version in `family-5.5`; undefined for anything that is not the family and a version. */
function versionOf(id: string, family: string): number | undefined {
  if (!id.startsWith(`${family}-`)) return undefined;
  const rest = /^[a-z]?(\d{1,2}(?:[.-]\d{1,2})?)$/.exec(id.slice(family.length + 1))?.[1];
  return rest === undefined ? undefined : Number(rest.replace("-", "."));
}

/** The newest id of a family, for `~family-latest`; undefined when none carries a version. */
export function latestOf(family: string, ids: readonly string[]): string | undefined {
  const versions = ids.flatMap((id) => {
    const version = versionOf(id, family);
    return version === undefined ? [] : [{ id, version }];
  });
  return versions.sort((a, b) => b.version - a.version)[0]?.id;
}
