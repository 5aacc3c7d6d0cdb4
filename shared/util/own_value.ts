/** Look-ups in records by a text that came from outside. */

/**
 * Returns what a record itself holds under a name; undefined for names that it only inherits. A plain `record[name]`
 * finds a function under `constructor` and an object under `__proto__`. The lint rule `own-look-ups` asks for this
 * one.
 */
export function ownValue<T>(record: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(record, name) ? record[name] : undefined;
}
