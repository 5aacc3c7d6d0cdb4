/** What the gateway and the thread that starts keepers say to each other. Types only. */

export type ToStarter =
  /** The environment of every keeper; once. */
  | { readonly type: "prepare"; readonly env: Readonly<Record<string, string>> }
  /** Only while none runs. */
  | { readonly type: "start" }
  /** Ends the one that runs; harmless when it has ended. */
  | { readonly type: "kill" };

export type FromStarter =
  | {
    readonly type: "started";
    readonly stdin: WritableStream<Uint8Array<ArrayBuffer>>;
    readonly stdout: ReadableStream<Uint8Array<ArrayBuffer>>;
  }
  /** The system has not started it. */
  | { readonly type: "failed"; readonly error: string }
  | { readonly type: "ended"; readonly code: number; readonly signal: string | null };
