/** Where the backup comes from that managers download; `composition.ts` has it. */

export interface BackupSource {
  /** Why there is none to download, and what to do instead, as a sentence; undefined where there is one. */
  readonly elsewhere: string | undefined;
  /** The content of a copy that is made now. Throws a StoreError. */
  readonly open: () => Promise<ReadableStream<Uint8Array>>;
}
