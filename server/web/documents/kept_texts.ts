/** Texts of parsed documents that are kept for a day, so that a conversation does not pay or wait for them twice. */

export interface KeptKey {
  readonly workspaceId: string;
  /** SHA-256 of the document, as hexadecimal digits. */
  readonly hash: string;
  readonly engine: string;
}

/** Neither method rejects: what cannot be kept is parsed again. */
export interface KeptTexts {
  /** The JSON that was kept; undefined where there is none, or it is too old. */
  readonly find: (key: KeptKey) => Promise<unknown>;
  readonly keep: (key: KeptKey, value: unknown) => Promise<void>;
}
