/** Embeddings: a vector for each message of the input instead of an answer in words. */

export interface EmbeddingOptions {
  /** Length of the vectors; absent: the model's own. */
  readonly dimensions?: number;
  /** `search_query`, `search_document` and the like; absent: the provider's own choice. */
  readonly inputType?: string;
}

/** Kind of the one item of the answer; its `value` has the `vectors`, in the order of the input. */
export const EMBEDDINGS = "embeddings";
