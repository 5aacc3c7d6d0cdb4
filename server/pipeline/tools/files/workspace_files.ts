/** The workspace's files, as the tool reaches them. */

/** The caller whose files they are: its key sees those that were made with it. */
export interface FileOwner {
  readonly workspaceId: string;
  readonly keyHash: string;
}

export interface WorkspaceFile {
  /** As clients know it. */
  readonly id: string;
  readonly filename: string;
  readonly mimeType: string;
  /** Bytes. */
  readonly size: number;
  /** ISO 8601. */
  readonly createdAt: string;
}

/** Everything throws an ApiError where the store fails. */
export interface WorkspaceFiles {
  /** The newest first, at most so many of them. */
  readonly list: (owner: FileOwner, most: number) => Promise<readonly WorkspaceFile[]>;
  /** Undefined for what is not there, and for what is not the caller's. */
  readonly find: (owner: FileOwner, id: string) => Promise<WorkspaceFile | undefined>;
  readonly read: (owner: FileOwner, id: string) => Promise<Uint8Array>;
  /** Makes a file. Throws an ApiError where it is not allowed or there is no room. */
  readonly write: (owner: FileOwner, file: NewFile) => Promise<WorkspaceFile>;
}

export interface NewFile {
  readonly filename: string;
  readonly bytes: Uint8Array;
}
