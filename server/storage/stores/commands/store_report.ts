/** Result of a command on a store: in words, and as the fields that stand for them with `--json`. */
export interface StoreReport {
  readonly text: string;
  readonly fields: Readonly<Record<string, string | number | boolean | null>>;
}
