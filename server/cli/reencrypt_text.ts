/** Result of encrypting stored provider keys with another master key, and what to do then. */

interface ReencryptResult {
  /** How many keys were moved. */
  readonly moved: number;
  /** The file that has the old key; undefined where TOLLGATE_MASTER_KEY was it. */
  readonly file: string | undefined;
}

export function reencryptText({ moved, file }: ReencryptResult): string {
  const place = file === undefined
    ? "Set TOLLGATE_MASTER_KEY to the new key for every gateway"
    : `Set TOLLGATE_MASTER_KEY to the new key, or put the new key into ${file} in place of the old one`;
  const old = file === undefined ? "the old key" : `a copy of the old key from ${file}`;
  const remove = file === undefined
    ? ""
    : " Where TOLLGATE_MASTER_KEY is set the file is not read: take it out of the data folder.";
  return [
    `Provider keys moved: ${moved}.`,
    `1. ${place}, and take TOLLGATE_NEW_MASTER_KEY away. A start with the old key fails.`,
    `2. Keep ${old} for as long as you keep backups from before: after a restore of one they need it.${remove}`,
    "3. Delete the old key with the last of those backups.",
  ].join("\n");
}
