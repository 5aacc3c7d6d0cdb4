/** Why a file or folder could not be used, in the operator's words instead of the run-time's. */

const byCode: ReadonlyMap<string, string> = new Map([
  ["ENOSPC", "the disk is full"],
  ["EDQUOT", "the disk quota of this user is used up"],
  ["EROFS", "the file system is read-only"],
  ["ENAMETOOLONG", "the name is too long"],
  ["ELOOP", "its symbolic links lead in a circle"],
  ["ENOTDIR", "a part of the path is a file and no folder"],
  ["EISDIR", "it is a folder"],
  ["EEXIST", "something else of this name is there"],
  ["ENOTEMPTY", "the folder is not empty"],
  ["EXDEV", "it would move to another disk"],
  ["EBUSY", "it is in use"],
  ["ETXTBSY", "it is in use"],
  ["EMFILE", "too many files are open"],
  ["ENFILE", "too many files are open"],
  ["EIO", "the disk does not work"],
]);

/** Reasons by the names of Deno's errors, whose code is missing where the run-time itself has refused. */
const byName: ReadonlyMap<string, string> = new Map([
  ["NotFound", "there is no such file or folder"],
  ["PermissionDenied", "this user may not read or write it"],
  ["NotCapable", "the program was started without the permission to read or write it"],
  ["IsADirectory", "it is a folder"],
  ["NotADirectory", "a part of the path is a file and no folder"],
  ["AlreadyExists", "something else of this name is there"],
  ["FilesystemLoop", "its symbolic links lead in a circle"],
  ["Busy", "it is in use"],
]);

/** One line. What is known neither by code nor by name keeps its message, without the system's numbers. */
export function systemReason(thrown: unknown): string {
  if (!(thrown instanceof Error)) return oneLine(String(thrown));
  const code = "code" in thrown ? String(thrown.code) : "";
  const known = byCode.get(code) ?? byName.get(thrown.name);
  return known ?? oneLine(thrown.message).replace(/ \(os error \d+\).*$/, "");
}

/** A sentence for an error of the file system that names its path; undefined for any other. */
export function systemSentence(thrown: unknown): string | undefined {
  if (!(thrown instanceof Error)) return undefined;
  const code = "code" in thrown ? String(thrown.code) : "";
  if (!byCode.has(code) && !byName.has(thrown.name)) return undefined;
  const path = /'([^']+)'|"([^"]+)"/.exec(thrown.message)?.slice(1).find((one) => one !== undefined);
  return path === undefined ? undefined : `${path} cannot be used: ${systemReason(thrown)}`;
}

const oneLine = (text: string): string => text.replaceAll(/\s+/g, " ");
