/** A run as a program that asks the same: for a shell, in TypeScript and in Python, each without a package. */

import { isJson, type Json } from "./json.ts";

export const languages = ["curl", "TypeScript", "Python"] as const;
export type Language = (typeof languages)[number];

export interface CopiedCall {
  /** The gateway's address, without a slash behind it. */
  readonly origin: string;
  readonly api: "responses" | "audio/speech";
  readonly body: Json;
}

/** Ends the body in a shell. No line of JSON is like it. */
const END = "END_OF_BODY";

const soundName = ({ body }: CopiedCall): string => `speech.${body.response_format ?? "mp3"}`;

function curl(call: CopiedCall): string {
  const { origin, api, body } = call;
  return [
    `curl --fail-with-body ${origin}/v1/${api} \\`,
    `  -H "Authorization: Bearer $API_KEY" \\`,
    `  -H "Content-Type: application/json" \\`,
    ...api === "audio/speech" ? [`  -o ${soundName(call)} \\`] : [],
    `  --data-binary @- <<'${END}'`,
    JSON.stringify(body, null, 2),
    END,
    "",
  ].join("\n");
}

/**
 * JavaScript as well, without types, static imports and an `await` of the module: Node 20 runs it as a file of either
 * language, whatever kind of module its folder is for.
 */
function typeScript(call: CopiedCall): string {
  const { origin, api, body } = call;
  const read = api === "audio/speech"
    ? [
      `const { writeFile } = await import("node:fs/promises");`,
      `await writeFile("${soundName(call)}", new Uint8Array(await response.arrayBuffer()));`,
    ]
    : [
      "const answer = JSON.parse(await response.text());",
      "for (const item of answer.output) {",
      `  for (const part of item.content ?? []) console.log(part.text ?? part.refusal ?? "");`,
      "}",
    ];
  return [
    `const body = ${JSON.stringify(body, null, 2)};`,
    "",
    "async function main() {",
    `  const response = await fetch("${origin}/v1/${api}", {`,
    `    method: "POST",`,
    "    headers: {",
    "      Authorization: `Bearer ${process.env.API_KEY}`,",
    `      "Content-Type": "application/json",`,
    "    },",
    "    body: JSON.stringify(body),",
    "  });",
    "  if (!response.ok) throw new Error(await response.text());",
    ...read.map((line) => `  ${line}`),
    "}",
    "",
    "main();",
    "",
  ].join("\n");
}

/** A value as Python writes it. A text of JSON is a text of Python, too. */
function pythonValue(value: unknown, indent = ""): string {
  if (value === null || value === undefined) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  if (typeof value === "object") return pythonGroup(value, indent);
  return JSON.stringify(value);
}

function pythonGroup(value: object, indent: string): string {
  const inner = `${indent}    `;
  const [open, close] = Array.isArray(value) ? ["[", "]"] : ["{", "}"];
  const entries = Array.isArray(value)
    ? value.map((one) => pythonValue(one, inner))
    : isJson(value)
    ? Object.entries(value).map(([name, one]) => `${JSON.stringify(name)}: ${pythonValue(one, inner)}`)
    : [];
  if (entries.length === 0) return `${open}${close}`;
  return `${open}\n${entries.map((one) => `${inner}${one},\n`).join("")}${indent}${close}`;
}

function python(call: CopiedCall): string {
  const { origin, api, body } = call;
  const isSpeech = api === "audio/speech";
  return [
    "import json",
    "import os",
    "import urllib.request",
    "",
    `body = ${pythonValue(body)}`,
    "request = urllib.request.Request(",
    `    "${origin}/v1/${api}",`,
    "    data=json.dumps(body).encode(),",
    "    headers={",
    `        "Authorization": "Bearer " + os.environ["API_KEY"],`,
    `        "Content-Type": "application/json",`,
    "    },",
    ")",
    "with urllib.request.urlopen(request) as response:",
    ...isSpeech
      ? [`    with open("${soundName(call)}", "wb") as file:`, "        file.write(response.read())"]
      : [
        "    answer = json.load(response)",
        `for item in answer["output"]:`,
        `    for part in item.get("content") or []:`,
        `        print(part.get("text") or part.get("refusal") or "")`,
      ],
    "",
  ].join("\n");
}

const writers = { curl, TypeScript: typeScript, Python: python } as const;

export const copyAs = (language: Language, call: CopiedCall): string => writers[language](call);
