/** A command → the call of its operation: address, query and body, checked before anything is sent. */

import * as z from "zod";
import type { ManagementOperation } from "../../shared/management/operation.ts";
import { validate, type ValidationIssue } from "../../shared/validation/validate.ts";
import { isRecord, tryParseJson } from "../../shared/util/json.ts";
import type { CommandLine } from "./parse_arguments.ts";
import type { Command } from "./commands.ts";
import { isUploadFlag, uploadFlags } from "./file_transfer.ts";
import { CommandError } from "./command_error.ts";
import { unknownFlagSentence } from "../config/unknown_flag.ts";

export interface CommandRequest {
  readonly method: ManagementOperation["method"];
  /** Below `/v1`, with its query. */
  readonly path: string;
  readonly body?: Json;
  /** Fields of a form beside its file. */
  readonly form?: ReadonlyMap<string, string>;
}

type Json = { readonly [key: string]: unknown };

interface CommandRequestOptions {
  readonly command: Command;
  /** Words behind the command's name. */
  readonly rest: readonly string[];
  /** Without those that are the command line's own. */
  readonly flags: CommandLine["flags"];
}

/** Throws a CommandError that says what is missing or wrong. */
export function buildCommandRequest({ command, rest, flags }: CommandRequestOptions): CommandRequest {
  const { row } = command;
  const path = pathOf(command, rest);
  if (row.body === "multipart") {
    const query = queryText([...flags].filter(([name]) => !isUploadFlag(name)));
    const form = new Map([...flags].filter(([name]) => isUploadFlag(name)));
    return { method: row.method, path: path + query, form };
  }
  const ofQuery = [...flags].filter(([name]) => row.body === undefined || names(row.query).includes(name));
  const ofBody = [...flags].filter(([name]) => !ofQuery.some(([other]) => other === name));
  const query = queryText(ofQuery);
  if (row.body === undefined) return { method: row.method, path: path + query };
  return { method: row.method, path: path + query, body: bodyOf(command, ofBody) };
}

function pathOf({ name, params, row }: Command, rest: readonly string[]): string {
  if (rest.length !== params.length) {
    const wanted = params.length === 0 ? "no word" : params.map((param) => `<${param}>`).join(" ");
    throw new CommandError(`${name} takes ${wanted} behind it and was given ${rest.length}`);
  }
  return params.reduce(
    (path, param, at) => path.replace(`:${param}`, encodeURIComponent(rest[at] ?? "")),
    row.path,
  );
}

/** Flags that any command takes. */
const COMMON = ["json", "yes", "url", "help"];

/**
 * `external.user` is a part of the field `external`. A body that may have any field takes any flag. Throws a
 * CommandError for a flag that the command does not take.
 */
export function assertKnownFlags({ name, row }: Command, flags: CommandLine["flags"]): void {
  const { query, body } = row;
  const fields = body === undefined
    ? []
    : body === "multipart"
    ? uploadFlags.map(({ name }) => name)
    : bodyFields(body);
  if (fields === undefined) return;
  const known = [...names(query), ...fields];
  const given = [...flags.keys()].filter((flag) => !known.includes(flag.split(".", 1)[0] ?? flag));
  const sentence = unknownFlagSentence({ command: name, flags: given, known: [...known, ...COMMON] });
  if (sentence !== undefined) throw new CommandError(sentence);
}

/** The fields of a body; undefined where it may have any. */
function bodyFields(schema: z.ZodType): readonly string[] | undefined {
  const described = z.toJSONSchema(schema, { io: "input", unrepresentable: "any" });
  const fields = fieldsOf(described);
  return fields.length === 0 && described.additionalProperties !== false ? undefined : fields;
}

function fieldsOf(
  { properties = {}, anyOf = [], allOf = [] }: z.core.JSONSchema.JSONSchema,
): readonly string[] {
  return [...Object.keys(properties), ...[...anyOf, ...allOf].flatMap(fieldsOf)];
}

/** The keys of an object's schema; none of what is no plain object. */
function names(schema: z.ZodType | undefined): readonly string[] {
  return schema instanceof z.ZodObject ? Object.keys(schema.shape) : [];
}

function queryText(pairs: readonly (readonly [string, string])[]): string {
  const text = new URLSearchParams(pairs.map(([key, value]) => [key, value])).toString();
  return text === "" ? "" : `?${text}`;
}

/** How a flag's text may be meant, in the order in which it is tried: JSON, text as it is, several texts. */
const readings: readonly ((text: string) => unknown)[] = [
  valueOf,
  (text) => text,
  (text) => text.split(",").map((one) => one.trim()),
];

/**
 * Texts are read as JSON (numbers, true, null, lists) as far as the operation's schema takes them so, else as they
 * are: a key may be called 123.
 */
function bodyOf({ name, row }: Command, pairs: readonly (readonly [string, string])[]): Json {
  const tried = new Map<string, number>();
  const read = () =>
    nested(pairs.map(([key, text]) => [key, readings[tried.get(key) ?? 0]?.(text)] as const));
  const faultIn = (body: Json): ValidationIssue | undefined => {
    const checked = row.body === undefined || row.body === "multipart" ? undefined : validate(row.body, body);
    return checked === undefined || checked.ok ? undefined : checked.faults[0];
  };
  for (let fault = faultIn(read()); fault !== undefined;) {
    const { path, message } = fault;
    const refused = new CommandError(`Cannot ${row.verb}: ${message || `${name} was refused`}`);
    const blamed = pairs.find(([key]) => key === path)?.[0];
    if (blamed === undefined || tried.has(blamed)) throw refused;
    for (let reading = 1; fault?.path === path && reading < readings.length; reading++) {
      tried.set(blamed, reading);
      fault = faultIn(read());
    }
    // What JSON was refused for says the most.
    if (fault !== undefined && isWithin(fault.path, path)) throw refused;
  }
  return read();
}

const isWithin = (path: string, whole: string) =>
  path === whole || path.startsWith(`${whole}[`) || path.startsWith(`${whole}.`);

function valueOf(text: string): unknown {
  const value = tryParseJson(text);
  return value === undefined ? text : value;
}

/** `external.user` becomes `{ external: { user } }`. */
function nested(pairs: readonly (readonly [string, unknown])[]): Json {
  const body: Record<string, unknown> = {};
  for (const [key, value] of pairs) {
    const parts = key.split(".");
    const last = parts.pop() ?? key;
    let inner = body;
    for (const part of parts) {
      const next = Object.hasOwn(inner, part) ? inner[part] : undefined;
      const made = isRecord(next) ? next : {};
      Object.defineProperty(inner, part, {
        value: made,
        enumerable: true,
        configurable: true,
        writable: true,
      });
      inner = made;
    }
    Object.defineProperty(inner, last, { value, enumerable: true, configurable: true, writable: true });
  }
  return body;
}

/** Why a call must be confirmed with --yes; undefined for one that need not be. */
export function confirmationReason(
  { name }: Command,
  { method, path, body }: CommandRequest,
): string | undefined {
  if (name === "credits clear") return "credits are no limit any more, for every key";
  if (method === "DELETE") return "it deletes";
  if (/ (rotate|revoke|remove)$/.test(name)) return "what is in use stops working";
  if (body?.disabled === true) return "what is disabled stops working at once";
  if (new URLSearchParams(path.split("?")[1]).get("abort") === "true") return "open calls end";
  if (name === "byok update" && body?.key !== undefined) return "the key that is stored is lost";
  if (typeof body?.amount_usd === "number" && body.amount_usd < 0) return "it takes credits away";
  return undefined;
}
