/** How large one event of a provider's stream may be. */

import type { Turn } from "../pipeline/turn.ts";

const MIB = 1024 * 1024;

/** Image deltas are whole pictures in base64 (faults U11); some models draw without being asked to. */
export function maxEventBytes({ request, endpoint }: Turn): number {
  const kinds = [...request.modalities ?? [], ...endpoint?.model.outputModalities ?? []];
  return kinds.includes("image") || request.tools.some(isImageTool) ? 16 * MIB : MIB;
}

const isImageTool = (tool: Turn["request"]["tools"][number]) =>
  (tool.type === "hosted" || tool.type === "server") && tool.kind === "image_generation";
