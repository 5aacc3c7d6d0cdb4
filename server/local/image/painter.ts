/** Has pictures painted in a thread that lives while there is something to paint. */

import { Worker } from "node:worker_threads";
import type { World } from "../../world.ts";
import { WireError } from "../errors.ts";
import type { Sketch } from "./drawing.ts";
import type { PictureWish } from "./wish.ts";

/** What the thread is told, and what it answers. */
export interface PaintOrder extends Pick<PictureWish, "format" | "compression"> {
  readonly id: number;
  readonly sketches: readonly Sketch[];
}

export type PaintReply =
  | { readonly id: number; readonly pictures: readonly Uint8Array[] }
  | { readonly id: number; readonly error: string };

export interface Painter {
  /** The files, one for each sketch. Throws a WireError when too many wait already. */
  paint(order: Omit<PaintOrder, "id">): Promise<readonly Uint8Array[]>;
}

/** Orders at a time; one takes a second or two. */
const MOST_WAITING = 8;
const LONGEST_MS = 60_000;

interface Waiting {
  readonly resolve: (pictures: readonly Uint8Array[]) => void;
  readonly reject: (error: Error) => void;
}

export function createPainter({ clock }: Pick<World, "clock">): Painter {
  const thread = createThread();
  let orders = 0;
  return {
    paint: async (order) => {
      if (thread.waiting() >= MOST_WAITING) throw tooMany();
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
  readonly send: (order: PaintOrder) => Promise<readonly Uint8Array[]>;
  /** Gives up what is under way, and all that waits. */
  readonly fail: (why: string) => void;
}

function createThread(): Thread {
  const waiting = new Map<number, Waiting>();
  let worker: Worker | undefined;
  const rest = () => {
    if (waiting.size > 0) return;
    void worker?.terminate();
    worker = undefined;
  };
  const fail = (why: string) => {
    for (const { reject } of waiting.values()) reject(new Error(`Cannot paint: ${why}`));
    waiting.clear();
    rest();
  };
  const take = (reply: PaintReply) => {
    const order = waiting.get(reply.id);
    waiting.delete(reply.id);
    rest();
    if ("pictures" in reply) order?.resolve(reply.pictures);
    else order?.reject(new Error(`Cannot paint: ${reply.error}`));
  };
  const send = (order: PaintOrder) => {
    worker ??= hire(take, fail);
    worker.postMessage(order);
    return new Promise<readonly Uint8Array[]>((resolve, reject) =>
      waiting.set(order.id, { resolve, reject })
    );
  };
  return { waiting: () => waiting.size, send, fail };
}

function hire(take: (reply: PaintReply) => void, fail: (why: string) => void): Worker {
  const worker = new Worker(new URL("./paint_worker.ts", import.meta.url));
  worker.on("message", take);
  worker.on("error", (error) => fail(String(error)));
  return worker;
}

function tooMany(): WireError {
  const message = "Too many pictures are being painted. Try again in a moment.";
  return new WireError(429, { message, type: "requests", code: "rate_limit_exceeded" }, {
    "retry-after": "2",
  });
}
