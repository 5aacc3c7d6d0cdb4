/**
 * A thread that renders drawings: a picture takes a few tenths of a second of work at a stretch, and everybody
 * else's streams would stand still for it. The renderer and its fonts, 5 MB, are loaded here and nowhere else.
 */

import { readFileSync } from "node:fs";
import { parentPort } from "node:worker_threads";
import { Renderer } from "@takumi-rs/wasm/node";
import { draw } from "./drawing.ts";
import type { PaintOrder, PaintReply } from "./painter.ts";

const fonts = ["latin", "latin-ext", "cyrillic", "cyrillic-ext"] as const;

let loading: Promise<Renderer> | undefined;

async function load(): Promise<Renderer> {
  const renderer = new Renderer();
  for (const part of fonts) {
    const url = import.meta.resolve(`@fontsource/pt-sans/files/pt-sans-${part}-700-normal.woff2`);
    await renderer.registerFont({ name: `PT Sans ${part}`, data: readFileSync(new URL(url)) });
  }
  return renderer;
}

async function paint({ sketches, format, compression }: PaintOrder): Promise<readonly Uint8Array[]> {
  const renderer = await (loading ??= load());
  const pictures: Uint8Array[] = [];
  for (const sketch of sketches) {
    const { width, height } = sketch;
    pictures.push(await renderer.render(draw(sketch), { width, height, format, quality: compression }));
  }
  return pictures;
}

async function reply(order: PaintOrder): Promise<PaintReply> {
  try {
    return { id: order.id, pictures: await paint(order) };
  } catch (error) {
    return { id: order.id, error: String(error) };
  }
}

parentPort?.on("message", async (order: PaintOrder) => parentPort?.postMessage(await reply(order)));
