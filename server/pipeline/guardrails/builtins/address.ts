/** Postal addresses: streets with a number in five languages, and places with their post codes. */

import type { BuiltinFilter } from "./builtin_filter.ts";
import {
  DIGITS,
  endOf,
  findBySign,
  isDigit,
  isLetter,
  isWord,
  scanStarts,
  startTable,
  UPPER,
} from "./characters.ts";

const MAX_MATCH = 200;

const name = "\\p{Lu}[\\p{Ll}\\p{Lu}'’-]{0,24}\\.?";
/** Without the full stop, behind which the next sentence begins. */
const townName = "(?:(?:St|Mt|Ft)\\. |\\p{Lu})[\\p{L}'’-]{1,24}";
const number = "\\d{1,5}(?: ?[a-zA-Z](?![\\p{L}\\d]))?(?: ?[-–/] ?\\d{1,4}[a-z]?)?";
const states =
  "(?:A[KLRZ]|C[AOT]|D[CE]|FL|GA|HI|I[ADLN]|K[SY]|LA|M[ADEINOST]|N[CDEHJMVY]|O[HKR]|PA|RI|S[CD]|T[NX]|UT|V[AT]|W[AIVY])";
const ukCode = "[A-Z]{1,2}\\d[A-Z\\d]? \\d[A-Z]{2}";
const town = `${townName}(?:(?: |-)(?:${townName}|de|sur|am|an|der|la|les|upon|on|dell?a?)){0,3}`;
const unit = "(?:,? ?(?:Apt|Apartment|Suite|Ste|Unit|Flat|Floor|Fl|Rm|Room|#)\\.? ?#?[\\dA-Za-z-]{1,6})";

const streetTypes =
  "(?:Street|St|Avenue|Ave|Road|Rd|Boulevard|Blvd|Lane|Ln|Drive|Dr|Court|Ct|Way|Place|Pl|Terrace|Ter|Square|Sq|Parkway|Pkwy|" +
  "Highway|Hwy|Circle|Cir|Crescent|Close|Gardens|Grove|Mews|Row|Walk|Hill|Trail|Trl|Broadway|Alley|Loop|Rise|Green|Quay|Wharf|Parade)";

/** Forms of what can follow a street: a town with its code, in the order of each country. */
const postal = {
  us: `(?:,? (?:${town}), ${states}(?: \\d{5}(?:-\\d{4})?)?| \\d{5}(?:-\\d{4})?)`,
  uk: `(?:, ${town}){0,2},? ${ukCode}`,
  continent: `,? ?(?:in |à |en |a )?(?:[A-Z]{1,2}-)?\\d{4,5} (?:${town})(?: \\([A-Z]{2}\\))?`,
} as const;

const sticky = (pattern: string): RegExp => new RegExp(`${pattern}(?![\\p{L}\\d])`, "uy");

/** `12 rue de la Paix`, `350 5th Avenue`, `14 Elm Road, Leeds LS1 4AB`. */
const numberFirst: readonly RegExp[] = [
  sticky(
    `\\d{1,6}[A-Za-z]?(?:-\\d{1,4})? (?:(?:N|S|E|W|NE|NW|SE|SW|North|South|East|West)\\.? )?` +
      `(?:(?:${name}|\\d{1,3}(?:st|nd|rd|th)) ){1,4}?${streetTypes}(?:\\.(?= ?[,A-Z#]))?(?: (?:NE|NW|SE|SW|N|S|E|W)(?![\\p{L}]))?` +
      `${unit}?(?:${postal.uk}|${postal.us})?`,
  ),
  sticky(
    `\\d{1,4}(?: ?(?:bis|ter|quater))?,? (?:rue|avenue|av\\.|boulevard|bd|place|chemin|impasse|allée|allées|quai|cours|route|square|passage|sentier|faubourg)` +
      ` (?:(?:de|du|des|la|le|les|l['’]|d['’]|de l['’]) ?){0,3}(?:[\\p{L}'’.-]{2,24} ?){1,4}?(?=[,.;:)\\n]|$| \\d{5}| à | est | et |"| \\p{Ll})(?:${postal.continent})?`,
  ),
];

/** `Hauptstraße 12`, `Calle de Alcalá 45`, `Via Roma, 10`. */
const germanStreet = sticky(
  `(?:(?:${name}[ -]){0,3}?)(?:\\p{Lu}[\\p{L}-]{0,30}(?:straße|strasse|str\\.|weg|platz|allee|gasse|damm|ufer|ring|steig|chaussee|markt|graben|berg|hof|pfad)|Straße|Str\\.|Allee|Platz|Weg|Ring|Damm|Ufer)` +
    ` ${number}(?:${postal.continent})?`,
);
const germanPlace = sticky(
  `(?:Am|An der|An den|Auf der|Auf dem|Im|In der|In den|Unter den|Zum|Zur|Hinter der|Vor dem) (?:${name} ?){1,3} ${number}${postal.continent}`,
);
const romance = sticky(
  `(?:Calle|C/|Avenida|Avda\\.?|Av\\.|Plaza|Paseo|Pº|Carrera|Camino|Ronda|Travesía|Glorieta|Rambla|Gran Vía|Via|Viale|Piazza|Piazzale|Corso|Vicolo|Largo|Strada|Rue|Avenue|Boulevard|Rua|Praça)` +
    `(?: (?:de|del|della|dei|delle|degli|dell['’]|di|da|dos|la|las|los|el|le|du|des|d['’]|l['’]|y|e)){0,3} ?(?:\\p{Lu}[\\p{L}'’.-]{0,24}|\\d{1,2} \\p{L}{3,10}|de|del|la|y|e)(?: (?:\\p{Lu}[\\p{L}'’.-]{0,24}|de|del|la|las|los|y|e|di)){0,4},?` +
    ` (?:n\\.? ?º?|nº|núm\\.|n°|número )? ?${number}(?:,? \\d{1,2}\\.?[ºª°](?: ?(?:[A-Z]|izq\\.?|dcha\\.?|izquierda|derecha))?)?(?:${postal.continent})?`,
);
/** Without a street: `Portland, OR 97201`, `London SW1A 1AA`, `D-10115 Berlin`. */
const places: readonly RegExp[] = [
  sticky(`\\p{Lu}[\\p{L}.'-]{1,20}(?: \\p{Lu}[\\p{L}.'-]{1,20}){0,2}, ${states} \\d{5}(?:-\\d{4})?`),
  sticky(`\\p{Lu}\\p{Ll}[\\p{L}'-]{1,20}(?: \\p{Lu}[\\p{L}'-]{1,20})?,? ${ukCode}`),
  sticky(`(?:DE?|AT?|CH|FR?|IT?|ES?|B|NL)-\\d{4,5} ${town}`),
  sticky(
    `(?:P\\.? ?O\\.? Box|PO Box|Postfach|Apartado de Correos|Casella Postale) \\d{1,4}(?: \\d{2}){0,2}(?: \\d{2})?(?:${postal.us}|${postal.continent})?`,
  ),
];

const starters =
  /^(?:Calle|C$|Avenida|Avda|Av|Plaza|Paseo|P|Carrera|Camino|Ronda|Travesía|Glorieta|Rambla|Gran|Via|Viale|Piazza|Piazzale|Corso|Vicolo|Largo|Strada|Rue|Avenue|Boulevard|Rua|Praça)$/;

/** The word at a position, so far as a decision needs it. */
function wordAt(text: string, start: number): string {
  let end = start;
  while (end - start < 48 && (isLetter(text.charCodeAt(end)) || text.charCodeAt(end) === 45)) end++;
  return text.slice(start, end);
}

const isGerman = (word: string): boolean =>
  /(?:stra(?:ß|ss)e|str|weg|platz|allee|gasse|damm|ufer|ring|steig|chaussee|markt|graben|berg|hof|pfad|Straße|Str|er|en|s|e|a|i|n|z|r|t|o)$/
    .test(word) ||
  word.includes("-");

function firstEnd(expressions: readonly RegExp[], text: string, { at }: { readonly at: number }): number {
  for (const expression of expressions) {
    const end = endOf(expression, text, { at });
    if (end !== -1) return end;
  }
  return -1;
}

const hasNumberNear = (text: string, start: number): boolean => {
  for (let position = start; position < start + 60; position++) {
    const code = text.charCodeAt(position);
    if (isDigit(code)) return true;
    if (code === 10 || Number.isNaN(code)) return false;
  }
  return false;
};

function matchName(text: string, start: number): number {
  if (!hasNumberNear(text, start)) return -1;
  const word = wordAt(text, start);
  if (starters.test(word)) {
    const end = endOf(romance, text, { at: start });
    if (end !== -1) return end;
  }
  const place = firstEnd(places, text, { at: start });
  if (place !== -1) return place;
  if (/^(?:Am|An|Auf|Im|In|Unter|Zum|Zur|Hinter|Vor)$/.test(word)) {
    return endOf(germanPlace, text, { at: start });
  }
  return isGerman(word) ? endOf(germanStreet, text, { at: start }) : -1;
}

function matchAt(text: string, start: number): number {
  const before = text.charCodeAt(start - 1);
  if (isWord(before) || before === 45 || before === 46 || before === 47 || before === 35) return -1;
  const end = isDigit(text.charCodeAt(start))
    ? firstEnd(numberFirst, text, { at: start })
    : matchName(text, start);
  return end - start > MAX_MATCH ? -1 : end;
}

const starts = startTable(DIGITS + UPPER);

const signed = {
  sign: /\d/g,
  reach: 208,
  find: (text: string, from: number) => scanStarts(text, from, { starts, matchAt }),
};

export const address: BuiltinFilter = {
  slug: "address",
  placeholder: "[ADDRESS]",
  entityType: "LOCATION",
  maxMatch: MAX_MATCH,
  lookAhead: 8,
  lookBehind: 1,
  spansSpace: true,
  find: (text, from) => findBySign(text, from, signed),
};
