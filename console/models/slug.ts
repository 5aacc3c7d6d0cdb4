/** A slug made of a name: `Document intake` → `document-intake`. */

/** Characters that a slug may have at most. */
const MOST = 50;

export function slugOf(name: string): string {
  const words = name.normalize("NFKD").toLowerCase().split(/[^a-z0-9]+/).filter(Boolean);
  return words.join("-").slice(0, MOST).replace(/-+$/, "");
}
