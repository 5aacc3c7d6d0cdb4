/** Signs as addresses and HTML escape them: `%40`, `&#64;`, `&commat;`. */

/** HTML's names of the signs of ASCII, and of what is read as one of them or as nothing. */
const names: ReadonlyMap<string, string> = new Map(Object.entries({
  "Tab": " ",
  "NewLine": "\n",
  "excl": "!",
  "quot": '"',
  "QUOT": '"',
  "num": "#",
  "dollar": "$",
  "percnt": "%",
  "amp": "&",
  "AMP": "&",
  "apos": "'",
  "lpar": "(",
  "rpar": ")",
  "ast": "*",
  "midast": "*",
  "plus": "+",
  "comma": ",",
  "period": ".",
  "sol": "/",
  "colon": ":",
  "semi": ";",
  "lt": "<",
  "LT": "<",
  "equals": "=",
  "gt": ">",
  "GT": ">",
  "quest": "?",
  "commat": "@",
  "lsqb": "[",
  "lbrack": "[",
  "bsol": "\\",
  "rsqb": "]",
  "rbrack": "]",
  "Hat": "^",
  "lowbar": "_",
  "grave": "`",
  "lcub": "{",
  "lbrace": "{",
  "verbar": "|",
  "vert": "|",
  "rcub": "}",
  "rbrace": "}",
  "hyphen": "-",
  "dash": "-",
  "ndash": "-",
  "minus": "-",
  "nbsp": " ",
  "ensp": " ",
  "emsp": " ",
  "thinsp": " ",
  "shy": "",
  "zwj": "",
  "zwnj": "",
}));
const LONGEST_NAME = Math.max(...[...names.keys()].map(({ length }) => length));

const numbered = "#(?:0{0,4}[1-9]\\d{1,2}(?!\\d)|[xX]0{0,4}[2-7][\\dA-Fa-f](?![\\dA-Fa-f]));?";
/** Source of an expression for all of them. */
export const signEscape = `%[2-7][\\dA-Fa-f]|&(?:${numbered}|(?:${[...names.keys()].join("|")});)`;

/** Source of an expression for the beginning of one, or for one that may go on. */
export const begunSign =
  `%[2-7]?|&(?:#(?:0{0,4}(?:[1-9]\\d{0,2})?|[xX]0{0,4}(?:[2-7][\\dA-Fa-f]?)?)|[A-Za-z]{0,${LONGEST_NAME}})`;

const [FIRST_PRINTED, LAST_PRINTED] = [32, 126];
const isPrinted = (code: number) => code >= FIRST_PRINTED && code <= LAST_PRINTED;

/** The character that `%40` or `&#64;` stands for; itself where that is none that is printed. */
export function unmark(escape: string): string {
  const [, hexadecimal, decimal, name] =
    /(?:%|#[xX]0*)([\dA-Fa-f]{2});?$|#0*(\d+);?$|([A-Za-z]+);$/.exec(escape) ?? [];
  if (name !== undefined) return names.get(name) ?? escape;
  const code = hexadecimal === undefined ? Number(decimal) : parseInt(hexadecimal, 16);
  return isPrinted(code) ? String.fromCharCode(code) : escape;
}
