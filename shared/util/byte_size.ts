/** Sizes in the words of error messages. */

const KIB = 1024;
const MIB = KIB * KIB;

/** `16 MiB`, `1.5 MiB`, `64 KiB`, `100 bytes`: never a 0 for a size that is none. */
export function formatByteLimit(bytes: number): string {
  if (bytes < KIB) return bytes === 1 ? "1 byte" : `${bytes} bytes`;
  const [unit, name] = bytes < MIB ? [KIB, "KiB"] as const : [MIB, "MiB"] as const;
  return `${Math.round(bytes / unit * 10) / 10} ${name}`;
}
