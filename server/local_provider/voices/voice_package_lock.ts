/**
 * The package with the embedded voices: eSpeak NG in WebAssembly, under the GPL, and therefore no part of this
 * program: it is fetched when somebody wants a voice, and talked to by messages. Whatever way its files come, they
 * have these checksums.
 */

export const voicePackage = {
  name: "@echogarden/espeak-ng-emscripten",
  version: "0.3.5",
  licence: "GPL-3.0",
  /** Where its files are served one by one, below name, version and path. */
  base: "https://cdn.jsdelivr.net/npm",
  /** SHA-256, in hex. */
  files: {
    script: {
      path: "espeak-ng.js",
      sha256: "3502d997af2640e54518a06845776c8507bfeebd8ff75f80176370e35de9896b",
    },
    data: {
      path: "espeak-ng.data",
      sha256: "f7f8eff5685c709db9dae81e88a0e0556867d60514f7308ae99e0579369397b5",
    },
  },
} as const;

/** The program and its voices. */
export interface VoiceFiles {
  readonly script: Uint8Array<ArrayBuffer>;
  readonly data: Uint8Array<ArrayBuffer>;
}

export type VoicePart = keyof VoiceFiles;

export const voiceParts = ["script", "data"] as const satisfies readonly VoicePart[];

/** Whether the bytes are those that are meant. */
export async function matchesLock(part: VoicePart, bytes: Uint8Array<ArrayBuffer>): Promise<boolean> {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return digest.toHex() === voicePackage.files[part].sha256;
}
