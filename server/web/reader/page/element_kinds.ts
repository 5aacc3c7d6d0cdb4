/** Elements of HTML by what they mean for the text of a page. */

import type { StartTag } from "./page_tokens.ts";

export const setOf = (names: string): ReadonlySet<string> => new Set(names.split(" "));

/** Begin and end a block of text. */
export const blockNames = setOf(
  "address article aside blockquote body caption center dd details dialog dir div dl dt fieldset figcaption figure footer " +
    "form h1 h2 h3 h4 h5 h6 header hgroup hr html legend li listing main menu nav ol optgroup option p pre search section " +
    "summary table tbody td tfoot th thead tr ul",
);

/** Have no content. */
export const voidNames = setOf(
  "area base basefont bgsound br col embed frame hr img input keygen link meta param source track wbr",
);

export const headingLevels: ReadonlyMap<string, number> = new Map(
  [1, 2, 3, 4, 5, 6].map((level) => [`h${level}`, level]),
);

/** Blocks that a cell of a table in Markdown cannot hold: the table lays the page out. */
export const layoutNames = setOf("blockquote dl h1 h2 h3 h4 h5 h6 hr ol pre table ul");

/** Shown only where something else fails, by what runs it, or not at all. */
const UNSEEN = setOf("annotation annotation-xml audio canvas datalist object svg template video");

export const isUnseen = ({ name, attributes }: StartTag): boolean =>
  UNSEEN.has(name) || name === "dialog" && !attributes.has("open");

const NAVIGATION_ROLES = setOf("banner contentinfo navigation search");
/** Elements whose own `footer` belongs to them, not to the page. */
export const footerOwners = "article aside main section blockquote figure td li dd".split(" ");

/** Whether the page itself declares the element to be navigation. */
export const isNavigation = ({ name, attributes }: StartTag, isOwned: boolean): boolean =>
  name === "nav" || name === "footer" && !isOwned ||
  NAVIGATION_ROLES.has(attributes.get("role")?.toLowerCase() ?? "");
