/** How the parts of an Office Open XML file name each other. */

import type { PackageParts } from "./package_parts.ts";
import { UnreadableDocument } from "./unreadable_document.ts";
import type { XmlElement } from "./xml.ts";

export interface Relation {
  readonly id: string;
  /** The last word of its type: `worksheet`, `hyperlink`. */
  readonly kind: string;
  /** Name of a part, or an address where it is external. */
  readonly target: string;
}

/** Relations of a part; `""` for those of the file. */
export function relationsOf(parts: PackageParts, part: string): readonly Relation[] {
  const [, folder = "", name = ""] = /^(.*\/)?([^/]*)$/.exec(part) ?? [];
  const found = parts.xml(`${folder}_rels/${name}.rels`)?.all("Relationship") ?? [];
  return found.map((relation) => {
    const target = relation.attribute("Target") ?? "";
    return {
      id: relation.attribute("Id") ?? "",
      kind: relation.attribute("Type")?.split("/").at(-1) ?? "",
      target: relation.attribute("TargetMode") === "External" ? target : resolvedPart(target, folder),
    };
  });
}

/** Targets are relative to the folder of their part. */
function resolvedPart(target: string, folder: string): string {
  const url = URL.parse(target, `part:///${folder}`);
  if (url === null) return target;
  try {
    return decodeURIComponent(url.pathname.slice(1));
  } catch (_error) {
    // A per cent sign that begins nothing.
    return url.pathname.slice(1);
  }
}

export interface MainPart {
  readonly name: string;
  readonly root: XmlElement;
  readonly relations: readonly Relation[];
}

/** The document itself. Throws an UnreadableDocument where there is none. */
export function mainPart(parts: PackageParts): MainPart {
  const name = relationsOf(parts, "").find(({ kind }) => kind === "officeDocument")?.target ?? "";
  const root = parts.xml(name);
  if (root === undefined) throw new UnreadableDocument("unsupported_type");
  return { name, root, relations: relationsOf(parts, name) };
}

/** The root of the one part that a part has of a kind, as `styles`. */
export function relatedXml(
  parts: PackageParts,
  { relations, kind }: { readonly relations: readonly Relation[]; readonly kind: string },
): XmlElement | undefined {
  const target = relations.find((relation) => relation.kind === kind)?.target;
  return target === undefined ? undefined : parts.xml(target);
}

/** As the file's properties have it. */
export function titleOf(parts: PackageParts): string | undefined {
  const core = relatedXml(parts, { relations: relationsOf(parts, ""), kind: "core-properties" });
  return core?.find("title")?.text.trim() || undefined;
}
