/** Finds the words before a name that say that it is one: titles, greetings, introductions. */

import { isLetter } from "./characters.ts";

/** How far back the words reach. */
export const CUE_REACH = 40;

export type NameCue = "title" | "introduction" | "hint" | "greeting";

const titles =
  "Mr|Mrs|Ms|Miss|Mx|Dr|Prof|Sir|Dame|Lord|Lady|Herr|Herrn|Frau|Mme|Mlle|Monsieur|Madame|Mademoiselle|Señor|" +
  "Señora|Sr|Sra|Srta|Don|Doña|Dott|Dottor|Dottoressa|Sig|Signor|Signora|Sgt|Capt|Judge|Senator|Professor|Doctor|Detective|" +
  "Officer|Nurse|Maître|Dra|Avv|signor|signora|señor|señora|doctor|doctora|docteur|madame|monsieur|mister|dottore|dottoressa|" +
  "profesor|profesora|maestro|maestra|paziente|patiente|paciente|Patient|Patientin";
const greetings =
  "dear|hi|hello|hey|hallo|liebe|lieber|bonjour|cher|chère|salut|hola|querido|querida|estimado|estimada|ciao|" +
  "caro|cara|gentile|thanks|thank you|danke|merci|gracias|grazie";

const titled = new RegExp(`(?:^|[^\\p{L}])(?:${titles})\\.? $`, "u");
const greeted = new RegExp(`(?:^|[^\\p{L}])(?:${greetings}),? $`, "iu");
/** Only a name follows. */
const introduced =
  /(?:name is|my name['’]s|signed by|written by|ich hei(?:ß|ss)e|name ist|je m['’]appelle|mon nom est|me llamo|nombre es|mi chiamo|nome è|(?:full|first|last|customer|patient|employee|client|contact)[ _-]?name["']?\s?[:=]\s?["']?|(?:card|account)[ _-]?holder["']?\s?[:=]\s?["']?|(?:attendee|tenant|beneficiary|recipient|attn|author|assignee)["']?\s?:\s["']?|(?:regards|sincerely|cheers|grüße|cordialement|saludos|saluti),)\s?$/iu;
/** A name may follow, or any other thing. */
const hinted =
  /(?:(?:is|was|am|been) called|named|this is|i am|i['’]m|hei(?:ß|ss)t|namens|s['’]appelle|nommée?|se llama|llamad[oa]|si chiama|patient:)\s$/iu;

/** The last words of all of these, in lower case: whether one stands there is quickly seen. */
const lastWords = new Set([
  ...`${titles}|${greetings}`.toLowerCase().split(/[| ]/),
  ..."is s by heiße heisse ist appelle est llamo es chiamo è name holder attendee tenant beneficiary recipient attn"
    .split(" "),
  ..."author assignee regards sincerely cheers grüße cordialement saludos saluti called named am m heißt heisst"
    .split(" "),
  ..."namens nommé nommée llama llamado llamada chiama patient".split(" "),
]);

const MAX_WORD = 14;

/** The last word before a position, with at most four marks and spaces behind it. */
function lastWord(text: string, position: number): string {
  let end = position;
  while (position - end < 4 && end > 0 && !isLetter(text.charCodeAt(end - 1))) end--;
  let start = end;
  while (end - start < MAX_WORD && isLetter(text.charCodeAt(start - 1))) start--;
  return text.slice(start, end);
}

/** Finds the cue before a name that begins at a position; undefined where there is none. */
export function findCue(text: string, start: number): NameCue | undefined {
  if (!lastWords.has(lastWord(text, start).toLowerCase())) return undefined;
  const before = text.slice(Math.max(start - CUE_REACH, 0), start);
  if (titled.test(before)) return "title";
  if (introduced.test(before)) return "introduction";
  if (hinted.test(before)) return "hint";
  return greeted.test(before) ? "greeting" : undefined;
}
