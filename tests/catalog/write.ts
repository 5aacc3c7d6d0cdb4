/** The snapshot as text: one line an offer, so that a change of one model is a change of one line. */

import type { SnapshotFile } from "../../server/providers/catalog/snapshot_schema.ts";

const line = (key: string, value: unknown): string => `${JSON.stringify(key)}: ${JSON.stringify(value)}`;

function block(value: Readonly<Record<string, unknown>>, indent: string): string {
  const lines = Object.entries(value).map(([key, inner]) => `${indent}  ${line(key, inner)}`);
  return lines.length === 0 ? "{}" : `{\n${lines.join(",\n")}\n${indent}}`;
}

export function write({ sources, parameters, aliases, scores, offers, moved }: SnapshotFile): string {
  const providers = Object.entries(offers).map(([id, models]) =>
    `    ${JSON.stringify(id)}: ${block(models, "    ")}`
  );
  const sets = parameters.map((set) => `    ${JSON.stringify(set)}`);
  return `{
  "sources": ${block(sources, "  ")},
  "parameters": [
${sets.join(",\n")}
  ],
  "aliases": ${block(aliases, "  ")},
  "scores": ${block(scores, "  ")},
  "offers": {
${providers.join(",\n")}
  },
  "moved": [${moved.map((one) => `\n    ${JSON.stringify(one)}`).join(",")}${moved.length > 0 ? "\n  " : ""}]
}
`;
}
