/**
 * How many tokens text of a script comes to, at which models: what a count is worth where the model's own tokenizer
 * is not here. Rates are medians over texts of each script, counted with the tokenizers that are published.
 */

/** In the order of the columns below. */
const scripts = [
  "letter",
  "sign",
  "digit",
  "latin",
  "cyrillic",
  "arabic",
  "indic",
  "thai",
  "hangul",
  "kana",
  "han",
  "emoji",
] as const;

/** UTF-16 units of a text by script, in the order of `scripts`. */
export type ScriptCounts = number[];

export const noScripts = (): ScriptCounts => scripts.map(() => 0);

type Rates = readonly [
  letter: number,
  sign: number,
  digit: number,
  latin: number,
  cyrillic: number,
  arabic: number,
  indic: number,
  thai: number,
  hangul: number,
  kana: number,
  han: number,
  emoji: number,
];

/** Tokens of one UTF-16 unit by o200k_base, the encoding that the gateway counts with. */
const tokensPerUnit: Rates = [0.19, 0.58, 0.42, 0.45, 0.28, 0.33, 0.35, 0.39, 0.65, 0.65, 0.85, 0.85];

/**
 * How many times as many tokens the same text is at models that do not use that encoding: Claude by the tokenizer that
 * Anthropic has published, Gemini by Gemma's, Mistral as Llama, of which its newer tokenizers are built.
 */
const families: readonly (readonly [RegExp, Rates])[] = [
  [/claude/i, [1, 1, 1, 1.4, 1.9, 2.7, 3.1, 4.4, 1.75, 1.45, 1.38, 1.45]],
  [/gemini|gemma/i, [1, 1.25, 1.95, 1.05, 0.94, 1.1, 0.84, 0.81, 0.86, 0.55, 0.78, 0.62]],
  [/qwen|qwq|qvq/i, [1, 1, 1.95, 1.3, 1.3, 1.17, 2.7, 1.41, 1.08, 0.9, 0.77, 0.68]],
  [/deepseek/i, [1, 1, 1, 1.1, 1.19, 1.2, 1.7, 0.95, 1.2, 1.05, 0.68, 1.05]],
  [
    /llama|nemotron|hermes|mistral|mixtral|ministral|magistral|codestral|devstral|pixtral/i,
    [1, 1, 1, 1.25, 1.2, 1.25, 1.57, 1.17, 1.03, 0.9, 1.04, 1.48],
  ],
  [/gpt-3\.5|gpt-35|gpt-4(?:-|$)/i, [1, 1, 1, 1.25, 1.66, 2.2, 2.95, 2.4, 1.57, 1.35, 1.53, 1.52]],
];

const known = new Map<string, Rates | undefined>();
/** Models that are remembered. */
const MOST_KNOWN = 10_000;

function familyOf(model: string): Rates | undefined {
  if (known.has(model)) return known.get(model);
  const family = families.find(([pattern]) => pattern.test(model))?.[1];
  if (known.size < MOST_KNOWN) known.set(model, family);
  return family;
}

/** Tokens of text of these scripts at a model, roughly. */
export function roughTokens(counts: Readonly<ScriptCounts>, model = ""): number {
  const family = familyOf(model);
  let tokens = 0;
  for (let at = 0; at < tokensPerUnit.length; at++) {
    const count = counts[at] ?? 0;
    if (count > 0) tokens += count * (tokensPerUnit[at] ?? 0) * (family?.[at] ?? 1);
  }
  return tokens;
}

/** By how much a count by o200k_base is multiplied for a model. */
export function familyFactor(counts: Readonly<ScriptCounts>, model = ""): number {
  if (familyOf(model) === undefined) return 1;
  const plain = roughTokens(counts);
  return plain === 0 ? 1 : roughTokens(counts, model) / plain;
}

/** Adds the units of a text. */
export function addScripts(counts: ScriptCounts, text: string): void {
  for (let at = 0; at < text.length; at++) {
    const script = scriptOf(text.charCodeAt(at));
    counts[script] = (counts[script] ?? 0) + 1;
  }
}

const ascii = Uint8Array.from({ length: 0x80 }, (_, code) => {
  if (code >= 0x30 && code <= 0x39) return 2;
  return /[A-Za-z\s]/.test(String.fromCharCode(code)) ? 0 : 1;
});

/** Where a script ends, and its place in `scripts`. What lies between those named is taken for signs. */
const blocks: readonly (readonly [end: number, script: number])[] = [
  [0x0370, 3],
  [0x0530, 4],
  [0x0590, 6],
  [0x0780, 5],
  [0x0900, 6],
  [0x0e00, 6],
  [0x0f00, 7],
  [0x1100, 6],
  [0x1200, 8],
  [0x2000, 6],
  [0x2e80, 1],
  [0x3040, 10],
  [0x3130, 9],
  [0x3190, 8],
  [0xac00, 10],
  [0xd7b0, 8],
  [0xe000, 11],
  [0xf900, 1],
  [0xfb00, 10],
  [0xfb50, 1],
  [0xfe00, 5],
  [0xfe30, 11],
  [0xfe70, 10],
  [0xff00, 5],
  [0x10000, 10],
];

function scriptOf(code: number): number {
  if (code < 0x80) return ascii[code] ?? 1;
  for (const [end, script] of blocks) if (code < end) return script;
  return 1;
}
