/** A setting or a file that cannot be used. The message is one sentence that names it and says what is allowed. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
}

/** Result of parsing a text: a value, or what would have been allowed. */
export type SettingResult<T> = { readonly value: T } | { readonly allowed: string };
