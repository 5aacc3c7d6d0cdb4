/** Character references of HTML: by number, and the names of HTML 4, which pages are written with. */

const FIRST_LATIN = 160;
/** In the order of Unicode, from the no-break space on. */
const latin =
  "nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute micro " +
  "para middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil " +
  "Egrave Eacute Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave " +
  "Uacute Ucirc Uuml Yacute THORN szlig agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc euml " +
  "igrave iacute icirc iuml eth ntilde ograve oacute ocirc otilde ouml divide oslash ugrave uacute ucirc uuml yacute " +
  "thorn yuml";

const plain = { amp: "&", lt: "<", gt: ">", quot: '"', AMP: "&", LT: "<", GT: ">", QUOT: '"' } as const;

const others = {
  apos: "'",
  ...{ OElig: "Œ", oelig: "œ", Scaron: "Š", scaron: "š", Yuml: "Ÿ", fnof: "ƒ", circ: "ˆ", tilde: "˜" },
  ...{ Alpha: "Α", Beta: "Β", Gamma: "Γ", Delta: "Δ", Epsilon: "Ε", Zeta: "Ζ", Eta: "Η", Theta: "Θ" },
  ...{ Iota: "Ι", Kappa: "Κ", Lambda: "Λ", Mu: "Μ", Nu: "Ν", Xi: "Ξ", Omicron: "Ο", Pi: "Π", Rho: "Ρ" },
  ...{ Sigma: "Σ", Tau: "Τ", Upsilon: "Υ", Phi: "Φ", Chi: "Χ", Psi: "Ψ", Omega: "Ω" },
  ...{ alpha: "α", beta: "β", gamma: "γ", delta: "δ", epsilon: "ε", zeta: "ζ", eta: "η", theta: "θ" },
  ...{ iota: "ι", kappa: "κ", lambda: "λ", mu: "μ", nu: "ν", xi: "ξ", omicron: "ο", pi: "π", rho: "ρ" },
  ...{ sigmaf: "ς", sigma: "σ", tau: "τ", upsilon: "υ", phi: "φ", chi: "χ", psi: "ψ", omega: "ω" },
  ...{ thetasym: "ϑ", upsih: "ϒ", piv: "ϖ", lang: "\u27e8", rang: "\u27e9" },
  ...{
    ensp: "\u2002",
    emsp: "\u2003",
    thinsp: "\u2009",
    zwnj: "\u200c",
    zwj: "\u200d",
    lrm: "\u200e",
    rlm: "\u200f",
  },
  ...{ ndash: "–", mdash: "—", lsquo: "‘", rsquo: "’", sbquo: "‚", ldquo: "“", rdquo: "”", bdquo: "„" },
  ...{ dagger: "†", Dagger: "‡", bull: "•", hellip: "…", permil: "‰", prime: "′", Prime: "″" },
  ...{ lsaquo: "‹", rsaquo: "›", oline: "‾", frasl: "⁄", euro: "€", image: "ℑ", weierp: "℘", real: "ℜ" },
  ...{ trade: "™", alefsym: "ℵ", larr: "←", uarr: "↑", rarr: "→", darr: "↓", harr: "↔", crarr: "↵" },
  ...{ lArr: "⇐", uArr: "⇑", rArr: "⇒", dArr: "⇓", hArr: "⇔", forall: "∀", part: "∂", exist: "∃" },
  ...{ empty: "∅", nabla: "∇", isin: "∈", notin: "∉", ni: "∋", prod: "∏", sum: "∑", minus: "−" },
  ...{ lowast: "∗", radic: "√", prop: "∝", infin: "∞", ang: "∠", and: "∧", or: "∨", cap: "∩", cup: "∪" },
  ...{ int: "∫", there4: "∴", sim: "∼", cong: "≅", asymp: "≈", ne: "≠", equiv: "≡", le: "≤", ge: "≥" },
  ...{ sub: "⊂", sup: "⊃", nsub: "⊄", sube: "⊆", supe: "⊇", oplus: "⊕", otimes: "⊗", perp: "⊥" },
  ...{ sdot: "⋅", lceil: "⌈", rceil: "⌉", lfloor: "⌊", rfloor: "⌋", loz: "◊", spades: "♠", clubs: "♣" },
  ...{ hearts: "♥", diams: "♦", check: "✓", star: "☆", phone: "☎", nbsp: "\u00a0", colon: ":", comma: "," },
  ...{ period: ".", excl: "!", quest: "?", num: "#", dollar: "$", percnt: "%", lpar: "(", rpar: ")" },
  ...{ ast: "*", plus: "+", sol: "/", semi: ";", equals: "=", commat: "@", lsqb: "[", rsqb: "]" },
  ...{ bsol: "\\", lowbar: "_", grave: "`", lcub: "{", verbar: "|", rcub: "}", Tab: "\t", NewLine: "\n" },
} as const;

/** Names that count without a semicolon too. */
const oldNames: ReadonlyMap<string, string> = new Map([
  ...Object.entries(plain),
  ...latin.split(" ").map((name, at) => [name, String.fromCharCode(FIRST_LATIN + at)] as const),
]);
const names: ReadonlyMap<string, string> = new Map([...oldNames, ...Object.entries(others)]);

/** Longest reference that is looked for: a text may be cut before one, but not within. */
export const MOST_REFERENCE = 128;

const REFERENCE = /&(?:#(\d+);?|#[xX]([\da-fA-F]+);?|([A-Za-z][A-Za-z\d]{1,15})(;?))/g;
/** Without its semicolon a name ends before anything that a name, or a parameter of an address, could go on with. */
const ATTRIBUTE_REFERENCE =
  /&(?:#(\d+);?|#[xX]([\da-fA-F]+);?|([A-Za-z][A-Za-z\d]{1,15})(;|(?![=A-Za-z\d])))/g;

/** The characters instead of their references; what is none stays as it is. */
export function decodeReferences(text: string, place: "text" | "attribute"): string {
  if (!text.includes("&")) return text;
  const pattern = place === "text" ? REFERENCE : ATTRIBUTE_REFERENCE;
  return text.replaceAll(pattern, (whole: string, ...[decimal, hex, name, end]: readonly string[]) => {
    if (decimal !== undefined) return characterOf(Number.parseInt(decimal, 10));
    if (hex !== undefined) return characterOf(Number.parseInt(hex, 16));
    return (end === ";" ? names : oldNames).get(name ?? "") ?? whole;
  });
}

const UNKNOWN = "\ufffd";
const LAST = 0x10ffff;

/** Numbers of control characters mean those of windows-1252 there. */
function characterOf(number: number): string {
  if (number >= 0x80 && number <= 0x9f) return new TextDecoder("windows-1252").decode(Uint8Array.of(number));
  if (number === 0 || number > LAST || (number >= 0xd800 && number <= 0xdfff)) return UNKNOWN;
  return String.fromCodePoint(number);
}
