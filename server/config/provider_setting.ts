/** A setting that a provider or a search engine adds to those of the table. */

/** A setting of the environment that belongs to a built-in provider. */
export interface ProviderSetting {
  readonly name: string;
  readonly description: string;
  /** A `document` is given as it is or by the path of its file. */
  readonly kind: "key" | "base_url" | "text" | "document";
  /** The address that `on` stands for, where the server has a well-known one. */
  readonly defaultValue?: string;
  /** Groups of variables: it has no effect without one whole group. Undefined: it needs no other. */
  readonly needs?: readonly (readonly string[])[];
  /** Says what would be allowed instead; undefined for a value that is. The value itself may be secret. */
  readonly check?: (value: string) => string | undefined;
}
