/** Documents in each encoding: declared in each way, wrongly, or not at all. */

import assert from "node:assert/strict";
import { encodeText } from "../support/encode_text.ts";
import { quickReaderRig } from "../support/quick_reader.ts";
import type { ReaderRig } from "../support/reader.ts";

/** A sentence in each, as pages have it; the second name is a label besides. */
const sentences: readonly (readonly [label: string, alias: string, sentence: string])[] = [
  ["windows-1252", "ISO-8859-1", "Le café est très bon, déjà vu à l’hôtel – “ça va”"],
  ["windows-1252", "latin1", "Die Größe der Straße ist für uns schön"],
  ["windows-1252", "cp1252", "El niño está aquí mañana, ¿qué pasó?"],
  ["windows-1252", "l1", "naïve"],
  ["shift_jis", "x-sjis", "日本語のテキストです。これは文字コードの判定です。"],
  ["shift_jis", "windows-31j", "こんにちは世界"],
  ["euc-jp", "x-euc-jp", "日本語のテキストです。東京都は日本の首都です。"],
  ["gb18030", "gb2312", "你好,世界。这是一个中文文本"],
  ["gbk", "x-gbk", "北京是中国的首都"],
  ["big5", "big5-hkscs", "台北是台灣的首都,這是一個中文文本"],
  ["euc-kr", "ks_c_5601-1987", "안녕하세요 세계, 서울은 대한민국의 수도이다"],
  ["windows-1251", "cp1251", "Москва — столица России, привет мир"],
  ["koi8-r", "koi8", "Москва столица России, привет мир"],
  ["windows-1250", "cp1250", "Zażółć gęślą jaźń, przykładowy śmieszny tekst"],
  ["windows-1253", "cp1253", "Αυτό είναι ένα ελληνικό κείμενο για δοκιμή"],
  ["utf-8", "UTF8", "Zwölf Boxkämpfer, 日本語, Россия 😀"],
  ["utf-16le", "utf-16", "Zwölf Boxkämpfer, Россия 😀 in a text"],
  ["utf-16be", "UTF-16BE", "Zwölf Boxkämpfer, Россия 😀 in a text"],
];

/** A document of each type around a sentence, which may name an encoding in it. */
const documents = {
  "text/html": (sentence: string, label?: string) =>
    `<!doctype html><html><head>${
      label === undefined ? "" : `<meta charset="${label}">`
    }</head><body><p>${sentence}</p>`,
  "application/xhtml+xml": (sentence: string, label?: string) =>
    `<?xml version="1.0"${
      label === undefined ? "" : ` encoding="${label}"`
    }?><html><body><p>${sentence}</p></body></html>`,
  "text/plain": (sentence: string) => `First line\n${sentence}\nlast line`,
  "text/csv": (sentence: string) => `name;value\nx;${sentence}\n`,
  "application/json": (sentence: string) => `{"name": "x", "value": "${sentence}"}`,
  "application/xml": (sentence: string, label?: string) =>
    `<?xml version="1.0"${label === undefined ? "" : ` encoding='${label}'`}?><a><b>${sentence}</b></a>`,
  "": (sentence: string) => `First line\n${sentence}\nlast line`,
  "application/octet-stream": (sentence: string, label?: string) =>
    `<!doctype html><head>${label === undefined ? "" : `<meta charset=${label}>`}</head><body>${sentence}`,
} as const;

type DocumentType = keyof typeof documents;
const types = Object.keys(documents) as DocumentType[];
const declaring: ReadonlySet<DocumentType> = new Set([
  "text/html",
  "application/xhtml+xml",
  "application/xml",
  "application/octet-stream",
]);

interface Row {
  readonly what: string;
  readonly body: Uint8Array<ArrayBuffer>;
  readonly contentType: string;
  readonly sentence: string;
}

type Sent = readonly [body: Uint8Array<ArrayBuffer>, charset?: string];

const withMark = (bytes: Uint8Array, label: string): Uint8Array<ArrayBuffer> =>
  new Uint8Array([...encodeText("\uFEFF", label), ...bytes]);

const isMarked = (label: string) => label.startsWith("utf-");
const isWide = (label: string) => label.startsWith("utf-16");

/** Every way in which a type can say its encoding, and some in which it says another. */
function rowsOf(type: DocumentType): readonly Row[] {
  const document = documents[type];
  return sentences.flatMap(([label, alias, sentence]): readonly Row[] => {
    const plain = encodeText(document(sentence), label);
    const row = (how: string, [body, charset = ""]: Sent): Row => ({
      what: `${label} ${sentence.slice(0, 12)}, ${how}`,
      body,
      contentType: charset === "" ? type : `${type};charset=${charset}`,
      sentence,
    });
    const inside = (name: string) => encodeText(document(sentence, name), label);
    const rows = [
      row("undeclared", [plain]),
      row("in the header", [plain, label]),
      row("in the header by another name", [plain, `"${alias.toUpperCase()}"`]),
      row("a nonsense header", [plain, "nonsense"]),
    ];
    if (declaring.has(type)) {
      rows.push(row("in the header, and another within", [inside("koi8-u"), label]));
      rows.push(row("UTF-16 within, which it is not", [inside("utf-16")]));
      if (!isWide(label)) {
        rows.push(
          row("within", [inside(label)]),
          row("within by another name", [inside(alias.toUpperCase())]),
        );
        rows.push(row("within, and a nonsense header", [inside(label), "nonsense"]));
      }
    }
    if (isMarked(label)) {
      rows.push(row("by its mark", [withMark(plain, label)]));
      for (const charset of ["windows-1252", "shift_jis", "utf-8", "utf-16be"]) {
        rows.push(row(`by its mark against ${charset}`, [withMark(plain, label), charset]));
      }
      if (declaring.has(type)) {
        rows.push(row("by its mark against within", [withMark(inside("big5"), label)]));
      }
    }
    return rows;
  });
}

/** UTF-16 is taken for UTF-8 where a page names it in letters of one byte; nothing else can be told then. */
const isFair = (type: DocumentType) => ({ what }: Row): boolean =>
  !(declaring.has(type) && what.includes("UTF-16 within") && !what.startsWith("utf-"));

async function check(rig: ReaderRig, rows: readonly Row[]): Promise<void> {
  const wrong = await Promise.all(rows.map(async ({ what, body, contentType, sentence }) => {
    const result = await rig.read(body, { contentType });
    const text = result.type === "document" ? result.text : result.reason;
    return text.includes(sentence) ? [] : [`${what}: ${text}`];
  }));
  assert.deepEqual(wrong.flat(), []);
}

for (const type of types) {
  Deno.test(`reader takes ${type || "what has no type"} in each encoding, however it is declared`, async () => {
    await using rig = quickReaderRig();
    const rows = rowsOf(type).filter(isFair(type));
    assert(rows.length > 60);
    await check(rig, rows);
  });
}
