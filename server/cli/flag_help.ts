/** Writes the `--help` of a command's flags, read off the schemas of its operation. */

import type { Flag } from "./file_transfer.ts";
import * as z from "zod";
import { ownValue } from "../../shared/util/own_value.ts";
import type { ManagementOperation } from "../../shared/management/operation.ts";
import { uploadFlags } from "./file_transfer.ts";

type Schema = z.core.JSONSchema._JSONSchema;

/** One line a flag: its name, what it takes, and whether it must be there. Empty where there is none. */
export function flagHelp({ query, body }: Pick<ManagementOperation, "query" | "body">): string {
  const all: readonly Flag[] = [
    ...(query === undefined ? [] : flagsIn(query)),
    ...(body === "multipart" ? uploadFlags : body === undefined ? [] : flagsIn(body)),
  ];
  const width = Math.max(0, ...all.map(({ name }) => name.length));
  return all.map(({ name, takes, needed }) =>
    `    --${name.padEnd(width)}  ${takes}${needed ? " (needed)" : ""}\n`
  ).join("");
}

function flagsIn(schema: z.ZodType): readonly Flag[] {
  const { properties = {}, required = [] } = z.toJSONSchema(schema, { io: "input", unrepresentable: "any" });
  return Object.entries(properties).map(([name, field]) => ({
    name,
    takes: wordsOf(field),
    needed: required.includes(name),
  }));
}

const typeNames: Readonly<Record<string, string>> = {
  string: "text",
  integer: "whole number",
  boolean: "true or false",
};

/** `a, b or null`, `list of text`. */
function wordsOf(schema: Schema): string {
  if (typeof schema === "boolean") return "JSON";
  const { anyOf, enum: values, const: only, type, items, properties, format } = schema;
  if (anyOf !== undefined) return eachOf(anyOf.map(wordsOf));
  if (only !== undefined) return String(only);
  if (values !== undefined) return values.join(", ");
  if (type === "array") {
    return `list of ${items === undefined || Array.isArray(items) ? "JSON" : wordsOf(items)}`;
  }
  if (type === "object") return `JSON with ${Object.keys(properties ?? {}).join(", ")}`;
  if (format === "uuid") return "UUID";
  return eachOf([type ?? "JSON"].flat().map((name) => ownValue(typeNames, name) ?? name));
}

/** Each once; what is left out says nothing. */
const eachOf = (words: readonly string[]) => [...new Set(words)].filter((word) => word !== "").join(" or ");
