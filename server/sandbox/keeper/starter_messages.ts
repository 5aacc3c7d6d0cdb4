/** Messages between the gateway and the thread that starts keepers. Types only. */

type Bytes = Uint8Array<ArrayBuffer>;

export type ToStarter =
  /** The environment of every keeper, and its arguments; once. */
  | {
    readonly type: "prepare";
    readonly env: Readonly<Record<string, string>>;
    readonly args: readonly string[];
  }
  /** Only while none runs. */
  | { readonly type: "start"; readonly id: number }
  | ToProcess;

/** To the keeper that was started last; dropped where that has another id. */
export type ToProcess =
  /** Behind all that was written before; answered by `written`. */
  | { readonly type: "write"; readonly id: number; readonly bytes: Bytes }
  /** Ends its input behind all that was written. */
  | { readonly type: "close"; readonly id: number }
  /** Asks for the next bytes of its output; answered by `read`. */
  | { readonly type: "read"; readonly id: number }
  /** Ends it at once; harmless when it has ended. */
  | { readonly type: "kill"; readonly id: number };

export type FromStarter =
  | { readonly type: "started"; readonly id: number }
  /** The system has not started it. */
  | { readonly type: "failed"; readonly id: number; readonly error: string }
  | FromProcess;

export type FromProcess =
  /** An error: it reads nothing any more. */
  | { readonly type: "written"; readonly id: number; readonly error: string | undefined }
  /** Undefined at the end of its output. */
  | { readonly type: "read"; readonly id: number; readonly bytes: Bytes | undefined }
  | { readonly type: "ended"; readonly id: number; readonly code: number; readonly signal: string | null };
