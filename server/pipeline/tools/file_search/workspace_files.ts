/** Files of a workspace, as a search reads them. */

/** A file of the gateway. */
export interface WorkspaceFile {
  readonly workspaceId: string;
  /** As clients know it. */
  readonly id: string;
  readonly filename: string;
  readonly mimeType: string;
  /** Bytes of the file. */
  readonly size: number;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  /** Maker: `upload`, `tool` or `container`. */
  readonly origin: string;
  /** In the client's own word. */
  readonly purpose: string | null;
}

export interface WorkspaceFiles {
  /** Undefined where the workspace has no file with this id, whatever the id is. */
  find(workspaceId: string, id: string): Promise<WorkspaceFile | undefined>;
  /** The newest first, and not more than `most`. */
  list(workspaceId: string, most: number): Promise<readonly WorkspaceFile[]>;
  /** Undefined where it was deleted meanwhile. */
  open(file: WorkspaceFile): Promise<ReadableStream<Uint8Array> | undefined>;
  /** The kept index; undefined where none is kept. */
  openIndex(file: WorkspaceFile): Promise<ReadableStream<Uint8Array> | undefined>;
  /** Does not reject: an index that is not kept is made anew the next time. */
  keepIndex(file: WorkspaceFile, content: AsyncIterable<Uint8Array>): Promise<void>;
}
