/**
 * From a prompt to a drawing: a background, shapes and colours that its words decide, and the words themselves.
 * A pure function, so that the same prompt gives the same image, byte for byte.
 */

import { ownValue } from "../../../shared/util/own_value.ts";
import { truncate } from "../../../shared/util/text.ts";
import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import type { Node } from "@takumi-rs/wasm";
import type { ImageOptions } from "./image_options.ts";

/** Everything that a drawing depends on. */
export interface DrawingInput extends Pick<ImageOptions, "width" | "height" | "quality" | "background"> {
  readonly prompt: string;
  /** How far it has come, from 0 to 1; words come last. */
  readonly progress: number;
}

/** Colours by name, as hues in degrees. */
const hues: Readonly<Record<string, number>> = {
  red: 0,
  orange: 30,
  gold: 45,
  yellow: 55,
  lime: 80,
  green: 130,
  teal: 175,
  cyan: 190,
  blue: 220,
  purple: 275,
  violet: 285,
  pink: 330,
};

const shapeCounts = { low: 5, medium: 9, high: 18 } as const;
/** UTF-16 units of the prompt that are written down. */
const LONGEST_TEXT = 240;

/** The scene for the renderer. */
export function renderScene(sketch: DrawingInput): Node {
  const { width, height, progress } = sketch;
  const src = `data:image/svg+xml;base64,${Buffer.from(svgOf(sketch)).toString("base64")}`;
  const image: Node = {
    type: "image",
    src,
    width,
    height,
    style: { position: "absolute", left: 0, top: 0, width, height },
  };
  const style = {
    display: "flex",
    flexDirection: "column",
    justifyContent: "flex-end",
    width,
    height,
    position: "relative",
  } as const;
  return { type: "container", style, children: progress < 1 ? [image] : [image, captionOf(sketch)] };
}

function captionOf({ prompt, width, height }: DrawingInput): Node {
  const text = truncate(prompt, LONGEST_TEXT);
  const room = width * height * 0.2;
  const largest = Math.min(width, height) / 10;
  const fontSize = Math.max(8, Math.min(largest, Math.sqrt(room / Math.max(1, text.length) / 0.6)));
  const line = (words: string, size: number): Node => ({
    type: "text",
    text: words,
    style: { fontSize: size, lineHeight: 1.2, color: "#ffffff" },
  });
  return {
    type: "container",
    style: {
      display: "flex",
      flexDirection: "column",
      // What has a position is painted over what has none.
      position: "relative",
      width: "100%",
      padding: largest / 3,
      backgroundColor: "rgba(0,0,0,0.55)",
    },
    children: [line(text === "" ? "(no prompt)" : text, fontSize), line("simulated picture", fontSize / 2)],
  };
}

/** Coordinates are thousandths of the image's sides. */
function svgOf({ prompt, width, height, quality, background, progress }: DrawingInput): string {
  const number = numbersFrom(prompt);
  const hue = hueOf(prompt) ?? Math.floor(next(number) * 360);
  const angle = Math.floor(next(number) * 90);
  const count = shapeCounts[quality];
  const shapes = Array.from({ length: count }, () => shapeOf(number, hue));
  const ground = background === "transparent" ? "" : groundOf(hue, angle);
  const shown = shapes.slice(0, Math.ceil(count * progress)).join("");
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" ` +
    `viewBox="0 0 1000 1000" preserveAspectRatio="none">${ground}${shown}</svg>`;
}

function groundOf(hue: number, angle: number): string {
  return `<defs><linearGradient id="g" gradientTransform="rotate(${angle})">` +
    `<stop offset="0" stop-color="${color(hue, 35)}"/><stop offset="1" stop-color="${
      color(hue + 40, 75)
    }"/>` +
    `</linearGradient></defs><rect width="1000" height="1000" fill="url(#g)"/>`;
}

/** A disc, a ring, a box or a star. */
function shapeOf(number: Iterator<number>, hue: number): string {
  const [kind, x, y, size, turn, shade] = [0, 1, 2, 3, 4, 5].map(() => Math.floor(next(number) * 1_000));
  const at = `translate(${x} ${y}) rotate(${turn})`;
  const radius = 40 + Math.floor((size ?? 0) * 0.2);
  const fill = color(hue + ((shade ?? 0) % 7) * 50, 40 + (shade ?? 0) % 40);
  const paint = `transform="${at}" fill="${fill}" fill-opacity="0.8"`;
  switch ((kind ?? 0) % 4) {
    case 0:
      return `<circle r="${radius}" ${paint}/>`;
    case 1:
      return `<circle r="${radius}" transform="${at}" fill="none" stroke="${fill}" stroke-width="24"/>`;
    case 2:
      return `<rect x="${-radius}" y="${-radius}" width="${
        radius * 2
      }" height="${radius}" rx="16" ${paint}/>`;
    default:
      return `<path d="${starOf(radius)}" ${paint}/>`;
  }
}

function starOf(radius: number): string {
  const points = Array.from({ length: 10 }, (_, at) => {
    const reach = at % 2 === 0 ? radius : radius / 2;
    const [x, y] = [Math.cos(at * Math.PI / 5) * reach, Math.sin(at * Math.PI / 5) * reach];
    return `${x.toFixed(2)} ${y.toFixed(2)}`;
  });
  return `M${points.join("L")}Z`;
}

const color = (hue: number, lightness: number) => `hsl(${hue % 360}, 65%, ${lightness}%)`;

/** The first colour that the prompt names. */
function hueOf(prompt: string): number | undefined {
  const word = prompt.toLowerCase().match(/[a-z]+/g)?.find((one) => Object.hasOwn(hues, one));
  return word === undefined ? undefined : ownValue(hues, word);
}

/** Numbers from 0 to 1 that a text decides. */
function* numbersFrom(text: string): Generator<number, never> {
  for (let round = 0;; round++) {
    const bytes = createHash("sha256").update(`${round}:${text}`).digest();
    for (let at = 0; at < bytes.length; at += 4) yield bytes.readUInt32BE(at) / 2 ** 32;
  }
}

function next(numbers: Iterator<number>): number {
  const { done, value } = numbers.next();
  return done ? 0 : value;
}
