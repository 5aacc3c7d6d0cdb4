/**
 * Schemas of the configuration of each type of destination. Every fault says what is wrong with a field and what is
 * allowed, as the rest of a sentence that begins with the field's name. None repeats a value: it may be a secret.
 */

import * as z from "zod";
import type { DestinationType } from "../../../shared/observability/records.ts";
import { isWebhookSecret } from "../../../shared/observability/webhook_secret.ts";
import { isRecord } from "../../../shared/util/json.ts";
import { countCodePoints } from "../../../shared/validation/validate.ts";

/** Stands for a secret. Sent back it leaves the secret as it is. */
export const MASK = "***";

type FaultOf = (text: string) => string | undefined;

interface TextRules {
  /** In words. */
  readonly allowed: string;
  readonly most: number;
  readonly mayBeEmpty?: boolean;
  /** Wrong with a text of a length that is allowed. */
  readonly faultOf: FaultOf;
}

function kindFault(value: unknown): string {
  if (value === undefined) return "is missing";
  if (value === null) return "is null";
  if (Array.isArray(value)) return "is a list";
  if (typeof value === "boolean") return `is ${value}`;
  const kind = typeof value === "string" ? "text" : typeof value;
  return `is ${kind === "object" ? "an" : "a"} ${kind}`;
}

function textFault(text: string, { most, mayBeEmpty, faultOf }: TextRules): string | undefined {
  if (text === "") return mayBeEmpty === true ? undefined : "is empty";
  const length = countCodePoints(text);
  return length > most ? `is ${length} characters long` : faultOf(text);
}

const text = (rules: TextRules) =>
  z.string({ error: ({ input }) => `${kindFault(input)}; allowed: ${rules.allowed}` }).check(
    ({ value, issues }) => {
      const fault = textFault(value, rules);
      if (fault === undefined) return;
      issues.push({ code: "custom", input: value, message: `${fault}; allowed: ${rules.allowed}` });
    },
  );

/** The mask itself is no secret: it is left over where no value is stored for it to stand for. */
const MASKED = `is ${MASK}, which stands for a value that is stored`;

/** Names the first character of a text that is no secret and matches. */
const characterFault = (wrong: RegExp): FaultOf => (text) => {
  const [character] = wrong.exec(text) ?? [];
  return character === undefined ? undefined : `has the character ${JSON.stringify(character)}`;
};

const LONGEST_ADDRESS = 2_000;

function addressFault(text: string): string | undefined {
  if (!URL.canParse(text)) return "is no address";
  return text.endsWith(`?${MASK}`) ? `ends with ${MASK}, which stands for a query that is stored` : undefined;
}

function originFault(text: string): string | undefined {
  const fault = addressFault(text);
  if (fault !== undefined) return fault;
  const { pathname, search, hash } = new URL(text);
  return pathname === "/" && search === "" && hash === "" ? undefined : "has a path or a query";
}

const address = (example: string) =>
  text({
    allowed: `an address such as ${example}, of up to 2,000 characters`,
    most: LONGEST_ADDRESS,
    faultOf: addressFault,
  });

const MOST_HEADERS = 20;
const LONGEST_HEADER_NAME = 100;
const LONGEST_HEADER = 4_000;
const HEADERS =
  `up to ${MOST_HEADERS} headers as texts of printable ASCII, with names of up to 100 and values of up to 4,000 ` +
  "characters, without those that the gateway writes itself";

/** Headers that the gateway writes itself, or that say where a message ends. */
const ownHeaders =
  /^(host|connection|content-.*|transfer-encoding|te|trailer|upgrade|expect|keep-alive|accept-encoding|proxy-.*|webhook-.*|tollgate-.*|x-test-connection)$/;

/** A name that is none is not repeated: a whole header may have been taken for one. */
function headerNameFault(name: string): string | undefined {
  if (name === "") return "has a header without a name";
  if (!/^[!#$%&'*+.^_`|~\dA-Za-z-]+$/.test(name)) return "has a name with a character that none has";
  if (name.length > LONGEST_HEADER_NAME) return `has a name of ${name.length} characters`;
  return ownHeaders.test(name.toLowerCase()) ? `has ${name}, which the gateway writes itself` : undefined;
}

function headerValueFault(value: unknown): string | undefined {
  if (typeof value !== "string") return kindFault(value);
  if (value === MASK) return MASKED;
  if (value.length > LONGEST_HEADER) return `is ${value.length} characters long`;
  if (/[\r\n]/.test(value)) return "has a line break";
  return /^[\x20-\x7e]*$/.test(value) ? undefined : "has a character that is not printable ASCII";
}

function headersFault(value: unknown): string | undefined {
  if (!isRecord(value)) return kindFault(value);
  const all = Object.entries(value);
  if (all.length > MOST_HEADERS) return `has ${all.length} headers`;
  for (const [name, one] of all) {
    const fault = headerNameFault(name);
    if (fault !== undefined) return fault;
    const wrong = headerValueFault(one);
    if (wrong !== undefined) return `has a value of ${name} that ${wrong}`;
  }
  return undefined;
}

const headers = z.custom<Readonly<Record<string, string>>>().check(({ value, issues }) => {
  const fault = headersFault(value);
  if (fault === undefined) return;
  issues.push({ code: "custom", input: value, message: `${fault}; allowed: ${HEADERS}` });
}).default({});

function secretFault(text: string): string | undefined {
  if (text === MASK) return MASKED;
  if (!text.startsWith("whsec_")) return "does not begin with whsec_";
  return isWebhookSecret(text) ? undefined : "is not the base64 of so many bytes";
}

const methods = ["POST", "PUT"] as const;
const methodError = ({ input }: { readonly input?: unknown }): string =>
  `${typeof input === "string" ? "is another text" : kindFault(input)}; allowed: ${methods.join(", ")}`;

const webhookSchema = z.strictObject({
  url: address("https://receipts.example/hook"),
  method: z.enum(methods, { error: methodError }).default("POST"),
  headers,
  /** By which bodies are signed. */
  signing_secret: text({
    allowed: "whsec_ and the base64 of 24 to 64 bytes",
    most: LONGEST_HEADER,
    faultOf: secretFault,
  }).optional(),
});

const collectorSchema = z.strictObject({ endpoint: address("https://collector.example"), headers });

/** Variables of a path: parts of the day (UTC) of the first receipt of an object. */
const variables = ["prefix", "date", "year", "month", "day"] as const;
const known: ReadonlySet<string> = new Set(variables);

const folderFault = characterFault(/[^\w.\-/{}]/u);

function templateFault(text: string): string | undefined {
  if (text.includes("..")) return "has two dots in a row";
  const names = [...text.matchAll(/\{(\w*)\}/g)].map(([, name = ""]) => name);
  const unknown = names.find((name) => !known.has(name));
  if (unknown !== undefined) return `has {${unknown}}, which is no variable`;
  const rest = text.replaceAll(/\{\w*\}/g, "");
  return folderFault(text) ?? (/[{}]/.test(rest) ? "has a brace of no variable" : undefined);
}

function bucketFault(text: string): string | undefined {
  if (text.length < 3) return `is ${text.length} characters long`;
  return characterFault(/[^a-z0-9.-]/u)(text) ??
    (/^[.-]|[.-]$/.test(text) ? "begins or ends with a dot or a hyphen" : undefined);
}

function keyFault(text: string): string | undefined {
  if (text === MASK) return MASKED;
  if (/\s/.test(text)) return "has a blank";
  return /^[\x21-\x7e]+$/.test(text) ? undefined : "has a character that is not printable ASCII";
}

const key = text({
  allowed: "up to 4,000 letters, digits and signs without blanks",
  most: 4_000,
  faultOf: keyFault,
});

const s3Schema = z.strictObject({
  bucketName: text({
    allowed: "3 to 63 lower-case letters, digits, dots and hyphens, a letter or digit at both ends",
    most: 63,
    faultOf: bucketFault,
  }),
  prefix: text({
    allowed: "up to 500 letters, digits, dots, underscores, hyphens and slashes",
    most: 500,
    mayBeEmpty: true,
    faultOf: characterFault(/[^\w.\-/]/u),
  }).default("tollgate-traces"),
  pathTemplate: text({
    allowed: `up to 500 letters, digits, dots, underscores, hyphens and slashes, and ${
      variables.map((name) => `{${name}}`).join(", ")
    }`,
    most: 500,
    mayBeEmpty: true,
    faultOf: templateFault,
  }).default("{prefix}/{date}"),
  region: text({
    allowed: "up to 40 lower-case letters, digits and hyphens",
    most: 40,
    faultOf: characterFault(/[^a-z0-9-]/u),
  }).default("us-east-1"),
  /** Origin of another service than AWS. */
  endpoint: text({
    allowed: "an address without a path, such as https://s3.example, of up to 2,000 characters",
    most: LONGEST_ADDRESS,
    faultOf: originFault,
  }).optional(),
  accessKeyId: key,
  secretAccessKey: key,
  /** Goes with keys that expire. */
  sessionToken: key.optional(),
  headers,
});

/** By type. */
export const configSchemas = {
  "webhook": webhookSchema,
  "otel-collector": collectorSchema,
  "s3": s3Schema,
} as const satisfies {
  readonly [T in DestinationType]: z.ZodObject;
};
