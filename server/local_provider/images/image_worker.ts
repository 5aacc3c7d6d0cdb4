/**
 * A thread that renders drawings: an image takes a few tenths of a second of work at a stretch, and everybody
 * else's streams would stand still for it. The renderer runs here and nowhere else. The thread has no permissions:
 * the renderer's code and its fonts, 5 MB, come as a message.
 */

import { initSync, Renderer } from "@takumi-rs/wasm";
import { renderScene } from "./drawing.ts";
import type { PaintFiles, RenderJob, RenderResult, ToPainter } from "./image_renderer.ts";

/** A thread's global scope, which the types take for a window's. */
interface Scope {
  onmessage: (event: { readonly data: ToPainter }) => void;
  postMessage(message: RenderResult): void;
}

const asScope = (scope: unknown) => scope as Scope;
const scope = asScope(globalThis);

// deno-lint-ignore tollgate/kept-promises -- a failure ends the thread
let loading: Promise<Renderer> | undefined;

async function load({ renderer: module, fonts }: PaintFiles): Promise<Renderer> {
  initSync({ module });
  const renderer = new Renderer();
  for (const font of fonts) await renderer.registerFont(font);
  return renderer;
}

async function renderDrawings({ sketches, format, compression }: RenderJob): Promise<readonly Uint8Array[]> {
  if (loading === undefined) throw new Error("nothing is loaded");
  const renderer = await loading;
  const images: Uint8Array[] = [];
  for (const sketch of sketches) {
    const { width, height } = sketch;
    images.push(
      await renderer.render(renderScene(sketch), { width, height, format, quality: compression }),
    );
  }
  return images;
}

async function reply(order: RenderJob): Promise<RenderResult> {
  try {
    return { id: order.id, images: await renderDrawings(order) };
  } catch (error) {
    return { id: order.id, error: String(error) };
  }
}

function receive({ data }: { readonly data: ToPainter }): void {
  if (data.type === "paint") return void reply(data.order).then((made) => scope.postMessage(made));
  loading = load(data.files);
  // A thread that cannot paint ends, with all that waits for it: the next image gets another one.
  loading.catch(reportError);
}

scope.onmessage = receive;
