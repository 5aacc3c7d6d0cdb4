/** How large an image is to be: what requests say, in the words of several providers. */

import { ownValue } from "../../../shared/util/own_value.ts";

/** Pixels. */
export interface ImageSize {
  readonly width: number;
  readonly height: number;
}

const SHORTEST = 64;
const LONGEST = 2_048;
/** A side is at most so many times as long as the other. */
const MOST_STRETCHED = 8;
/** Sides that are made up are multiples of it, as those of most models are. */
const GRID = 16;

const fallback: ImageSize = { width: 1_024, height: 1_024 };

/** `1K` is the image of a million pixels. */
const edges: Readonly<Record<string, number>> = { "512": 512, "0.5k": 512, "1k": 1_024, "2k": 2_048 };

/** Requested size; a field that is absent or `auto` asks for nothing. */
interface RequestedSize {
  /** `1536x1024`, or `1K`. */
  readonly size?: string;
  /** `16:9`. */
  readonly ratio?: string;
}

/** The size in pixels, or in words why there is no such image. */
export function resolveImageSize({ size = "auto", ratio = "auto" }: RequestedSize): ImageSize | string {
  const [, width, height] = /^(\d{1,5})\s*[x×*]\s*(\d{1,5})$/i.exec(size.trim()) ?? [];
  if (width !== undefined && height !== undefined) {
    return checked({ width: Number(width), height: Number(height) });
  }
  const word = size.trim().toLowerCase();
  const edge = word === "auto" || word === "" ? fallback.width : ownValue(edges, word);
  if (edge === undefined) return `'${size.slice(0, 40)}' is no size: use '1024x1024', '1K', '2K' or 'auto'`;
  return ofRatio(edge, ratio);
}

function ofRatio(edge: number, ratio: string): ImageSize | string {
  if (/^\s*(auto)?\s*$/i.test(ratio)) return checked({ width: edge, height: edge });
  const [, across, down] = /^\s*(\d{1,3}(?:\.\d{1,4})?)\s*[:/x]\s*(\d{1,3}(?:\.\d{1,4})?)\s*$/.exec(ratio) ??
    [];
  const stretch = Number(across) / Number(down);
  if (!Number.isFinite(stretch) || stretch <= 0) {
    return `'${ratio.slice(0, 40)}' is no aspect ratio: use one like '16:9'`;
  }
  const onGrid = (side: number) => Math.max(GRID, Math.round(side / GRID) * GRID);
  const [width, height] = [onGrid(edge * Math.sqrt(stretch)), onGrid(edge / Math.sqrt(stretch))];
  // At the greatest size the longer side gives way, and the shape stays.
  const fit = Math.min(1, LONGEST / Math.max(width, height));
  return checked({ width: onGrid(width * fit), height: onGrid(height * fit) });
}

function checked(size: ImageSize): ImageSize | string {
  const [short, long] = [Math.min(size.width, size.height), Math.max(size.width, size.height)];
  if (short < SHORTEST || long > LONGEST) {
    return `${size.width}x${size.height} is out of bounds: sides have ${SHORTEST} to ${LONGEST} pixels`;
  }
  if (long > short * MOST_STRETCHED) {
    return `${size.width}x${size.height} is too narrow: the longer side is at most ${MOST_STRETCHED} times the other`;
  }
  return size;
}
