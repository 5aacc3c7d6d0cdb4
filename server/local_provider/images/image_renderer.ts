/** Has images painted in a thread that lives while there is something to paint. */

import type { Runtime } from "../../runtime.ts";
import { WireError } from "../wire_error.ts";
import type { DrawingInput } from "./drawing.ts";
import type { ImageOptions } from "./image_options.ts";

/** Files that the thread renders with. It may read no file itself. */
export interface PaintFiles {
  readonly renderer: Uint8Array<ArrayBuffer>;
  readonly fonts: readonly PaintFont[];
}

interface PaintFont {
  readonly name: string;
  readonly data: Uint8Array<ArrayBuffer>;
}

/** Messages to the thread, the files first, and its answers. */
export type ToPainter =
  | { readonly type: "load"; readonly files: PaintFiles }
  | { readonly type: "paint"; readonly order: RenderJob };

export interface RenderJob extends Pick<ImageOptions, "format" | "compression"> {
  readonly id: number;
  readonly sketches: readonly DrawingInput[];
}

export type RenderResult =
  | { readonly id: number; readonly images: readonly Uint8Array[] }
  | { readonly id: number; readonly error: string };

export interface ImageRenderer {
  /** The files, one for each sketch. Throws a WireError when too many wait already. */
  paint(order: Omit<RenderJob, "id">): Promise<readonly Uint8Array[]>;
}

/** Orders at a time; one takes a second or two. */
const MOST_WAITING = 8;
const LONGEST_MS = 60_000;

interface PendingJob {
  readonly resolve: (images: readonly Uint8Array[]) => void;
  readonly reject: (error: Error) => void;
}

export function createImageRenderer({ clock }: Pick<Runtime, "clock">): ImageRenderer {
  const thread = createThread();
  let orders = 0;
  return {
    paint: async (order) => {
      if (thread.waiting() >= MOST_WAITING) throw tooManyImages();
      const stop = clock.after(LONGEST_MS, () => thread.fail("it took too long"));
      try {
        return await thread.send({ ...order, id: orders++ });
      } finally {
        stop();
      }
    },
  };
}

interface Thread {
  readonly waiting: () => number;
  readonly send: (order: RenderJob) => Promise<readonly Uint8Array[]>;
  /** Gives up what is under way, and all that waits. */
  readonly fail: (why: string) => void;
}

function createThread(): Thread {
  const waiting = new Map<number, PendingJob>();
  // deno-lint-ignore tollgate/kept-promises -- a thread that does not start is given up by `fail`
  let hired: Promise<Worker> | undefined;
  const rest = () => {
    if (waiting.size > 0) return;
    hired?.then((worker) => worker.terminate(), () => {
      // There is none: anyone who waited for it was told why.
    });
    hired = undefined;
  };
  const fail = (why: string) => {
    for (const { reject } of waiting.values()) reject(new Error(`Cannot paint: ${why}`));
    waiting.clear();
    rest();
  };
  const take = (reply: RenderResult) => {
    const order = waiting.get(reply.id);
    waiting.delete(reply.id);
    rest();
    if ("images" in reply) order?.resolve(reply.images);
    else order?.reject(new Error(`Cannot paint: ${reply.error}`));
  };
  const send = (order: RenderJob) => {
    hired ??= startWorker(take, fail);
    hired.then((worker) => post(worker, { type: "paint", order }), (error) => fail(String(error)));
    return new Promise<readonly Uint8Array[]>((resolve, reject) =>
      waiting.set(order.id, { resolve, reject })
    );
  };
  return { waiting: () => waiting.size, send, fail };
}

const post = (worker: Worker, message: ToPainter) => worker.postMessage(message, transferable(message));

function transferable(message: ToPainter): Transferable[] {
  if (message.type === "paint") return [];
  const { renderer, fonts } = message.files;
  return [renderer.buffer, ...fonts.map(({ data }) => data.buffer)];
}

/** The thread has no permissions: its renderer is somebody else's, and reads what callers have written. */
async function startWorker(
  take: (reply: RenderResult) => void,
  fail: (why: string) => void,
): Promise<Worker> {
  const files = await paintFiles();
  const worker = new Worker(new URL("./image_worker.ts", import.meta.url), {
    type: "module",
    deno: { permissions: "none" },
  });
  worker.onmessage = ({ data }: MessageEvent<RenderResult>) => take(data);
  worker.onerror = (event) => {
    event.preventDefault();
    fail(event.message);
  };
  post(worker, { type: "load", files });
  return worker;
}

const fontParts = ["latin", "latin-ext", "cyrillic", "cyrillic-ext"] as const;

async function paintFiles(): Promise<PaintFiles> {
  const fonts = fontParts.map(async (part): Promise<PaintFont> => {
    const url = import.meta.resolve(`@fontsource/pt-sans/files/pt-sans-${part}-700-normal.woff2`);
    return { name: `PT Sans ${part}`, data: await Deno.readFile(new URL(url)) };
  });
  const renderer = import.meta.resolve("@takumi-rs/wasm/takumi_wasm_bg.wasm");
  return { renderer: await Deno.readFile(new URL(renderer)), fonts: await Promise.all(fonts) };
}

function tooManyImages(): WireError {
  const message = "Too many pictures are being painted. Try again in a moment.";
  return new WireError(429, { message, type: "requests", code: "rate_limit_exceeded" }, {
    "retry-after": "2",
  });
}
