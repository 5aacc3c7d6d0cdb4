/** Variables of the environment. Each may also be given as a file: `NAME_FILE` names it. Imported by the permissions
 * program, so this file imports little. */

import { systemReason } from "../../shared/util/system_reason.ts";
import { ConfigError } from "./config_error.ts";

export interface VariableSource {
  /** A variable of the environment; undefined when it is not set. */
  readonly env: (name: string) => string | undefined;
  /** The text of a file. Throws when it cannot be read, or has more bytes. */
  readonly readFile: (path: string, mostBytes: number) => string;
}

const KIB = 1024;
/** A secret is a line or a document of a few. */
export const MOST_SECRET_BYTES = 64 * KIB;
/** A configuration file or a catalog. */
export const MOST_FILE_BYTES = 64 * KIB * KIB;

/** The variable that names the file of another one. */
export const fileVariable = (name: string): string => `${name}_FILE`;

/** Whether a variable names the file of another one. */
export const isFileVariable = (name: string): boolean => name.endsWith(fileVariable(""));

/** The path in `NAME_FILE`; undefined when it is not set, or set to nothing. */
export function namedPath({ env }: Pick<VariableSource, "env">, name: string): string | undefined {
  return textOf(env(fileVariable(name)));
}

/**
 * A variable's text, or that of the file which `NAME_FILE` names, without white space around it. Undefined when neither
 * is set, or set to nothing. Throws a ConfigError when both are set, and for a file that is empty or cannot be read.
 */
export function readVariable(source: VariableSource, name: string): string | undefined {
  const value = textOf(source.env(name));
  const path = namedPath(source, name);
  if (path === undefined) return value;
  const named = fileVariable(name);
  if (value !== undefined) {
    throw new ConfigError(`${name} and ${named} are both set: allowed is one of them`);
  }
  const text = textOf(readNamedText(source, { name: named, path, mostBytes: MOST_SECRET_BYTES }));
  if (text !== undefined) return text;
  throw new ConfigError(
    `${named} is ${JSON.stringify(path)}, which is empty: allowed is a file with ${name}`,
  );
}

/** The same for the permissions program: undefined for what cannot be read, because the start says what is wrong. */
export function tryReadVariable(source: VariableSource, name: string): string | undefined {
  try {
    return readVariable(source, name);
  } catch (error) {
    if (error instanceof ConfigError) return undefined;
    throw error;
  }
}

interface NamedFile {
  /** The setting that names it. */
  readonly name: string;
  readonly path: string;
  /** As many as a configuration file may have where it is left out. */
  readonly mostBytes?: number;
}

/** The text of the file that a setting names. Throws a ConfigError when it cannot be read. */
export function readNamedText(
  { readFile }: Pick<VariableSource, "readFile">,
  { name, path, mostBytes = MOST_FILE_BYTES }: NamedFile,
): string {
  try {
    return readFile(path, mostBytes);
  } catch (cause) {
    const message = `${name} is ${JSON.stringify(path)}, which cannot be read: ${systemReason(cause)}`;
    throw new ConfigError(message, { cause });
  }
}

/** A file that the configuration file names. */
interface NamedPlace {
  readonly path: string;
  /** The configuration file: a relative path begins in its folder. */
  readonly beside: string | undefined;
}

/** A file that the configuration file names, with its whole path. */
export function readBeside(
  source: VariableSource,
  { setting, path, beside = "" }: NamedPlace & { readonly setting: string },
): { readonly path: string; readonly text: string } {
  const absolute = /^(?:[/\\]|[A-Za-z]:)/.test(path);
  const full = absolute ? path : beside.replace(/[^/\\]*$/, "") + path;
  return { path: full, text: readNamedText(source, { name: setting, path: full }) };
}

/** The JSON of a catalog, not yet checked. Throws a ConfigError. */
export function readCatalog(
  source: VariableSource,
  { path, beside }: Partial<NamedPlace>,
): { readonly path: string; readonly json: unknown } | undefined {
  if (path === undefined) return undefined;
  const { path: full, text } = readBeside(source, { setting: "catalog.file", path, beside });
  try {
    return { path: full, json: JSON.parse(text) };
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new ConfigError(`catalog.file is ${JSON.stringify(full)}, which is not JSON: ${why}`, { cause });
  }
}

/** Undefined for white space alone: empty is as good as not set. */
function textOf(text: string | undefined): string | undefined {
  return text?.trim() || undefined;
}

interface RefusedValue {
  /** The variables that may have it. */
  readonly names: readonly string[];
  readonly input: string;
  readonly secret?: boolean;
}

/** A value in an error. What a file has is not shown: the wrong file may hold a secret. */
export function describeValue(
  source: VariableSource,
  { names, input, secret = false }: RefusedValue,
): string {
  const length = `${input.length} characters`;
  const inFile = names.find((name) =>
    source.env(name) === undefined && namedPath(source, name) !== undefined
  );
  if (inFile !== undefined) return `not usable (${length} in the file of ${fileVariable(inFile)})`;
  return secret || mayHoldSecret(input) ? `not usable (${length})` : JSON.stringify(input);
}

/** True for a text that may be an address with a user, a query or a fragment, where people write passwords and keys. */
export const mayHoldSecret = (text: string): boolean => /[@?#=]|%40/.test(text);
