/**
 * The embedded voices, by language code: those of the package that `server/local_provider/voices/voice_package_lock.ts` names. The
 * catalog lists them, and the built-in provider speaks with them.
 */

/** The package's files: families of languages, and the codes in each. */
const families: Readonly<Record<string, string>> = {
  "": "eu ko qu",
  aav: "vi vi-VN-x-central vi-VN-x-south",
  art: "eo ia io jbo lfn piqd py qdb qya sjn xex",
  azc: "nci",
  bat: "lt ltg lv",
  bnt: "sw tn",
  ccs: "ka",
  cel: "cy ga gd",
  cus: "om",
  dra: "kn ml ta te",
  esx: "kl",
  gmq: "da fo is nb sv",
  gmw: "af de en en-029 en-GB-scotland en-GB-x-gbclan en-GB-x-gbcwmd en-GB-x-rp en-US en-US-nyc lb nl",
  grk: "el grc",
  inc: "as bn bpy gu hi kok mr ne or pa sd si ur",
  ine: "hy hyw sq",
  ira: "fa fa-Latn ku",
  iro: "chr",
  itc: "la",
  jpx: "ja",
  map: "haw",
  miz: "mto",
  myn: "quc",
  poz: "id mi ms",
  roa: "an ca ca-ba ca-nw ca-va es es-419 fr fr-BE fr-CH ht it pap pt pt-BR ro",
  sai: "gn",
  sem: "am ar he mt ti",
  sit: "cmn cmn-Latn-pinyin hak my yue yue-Latn-jyutping",
  tai: "shn th",
  trk: "az ba cv kaa kk ky nog tk tr tt ug uz",
  urj: "et fi hu smj",
  zle: "be ru ru-LV ru-cl uk",
  zls: "bg bs hr mk sl sr",
  zlw: "cs pl sk",
};

/** Codes under which people look for a voice that the package calls otherwise. */
const aliases: Readonly<Record<string, string>> = {
  "en-gb": "en",
  "es-mx": "es-419",
  "fr-fr": "fr",
  no: "nb",
  "pt-pt": "pt",
  zh: "cmn",
  "zh-cmn": "cmn",
  "zh-yue": "yue",
};

const files: ReadonlyMap<string, string> = new Map(
  Object.entries(families).flatMap(([family, codes]) =>
    codes.split(" ").map((code) => [code.toLowerCase(), family === "" ? code : `${family}/${code}`] as const)
  ),
);

/** Every voice's name, in the order of the alphabet. */
export const voiceNames: readonly string[] = [...files.keys(), ...Object.keys(aliases)].toSorted();

/** Spoken by where a request names no voice. */
export const DEFAULT_VOICE = "en";

/** The package's name of a voice; undefined where there is none. `en_US` is `en-us`. */
export function voiceFile(name: string): string | undefined {
  const code = name.trim().toLowerCase().replaceAll("_", "-");
  return files.get(Object.hasOwn(aliases, code) ? aliases[code] ?? code : code);
}
