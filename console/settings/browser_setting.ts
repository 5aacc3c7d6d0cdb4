/**
 * Reads a setting that this browser remembers for its user. Where it keeps nothing, a choice lasts as long as the
 * page.
 */

export function readSetting(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch (_error) {
    // Storage is switched off in this browser: the default is used.
    return null;
  }
}

export function writeSetting(key: string, value: string): void {
  try {
    localStorage.setItem(key, value);
  } catch (_error) {
    // Storage is switched off or full: the choice lasts as long as the page.
  }
}
