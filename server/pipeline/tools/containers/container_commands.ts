/** Commands that models reach for and that containers do not have, with what they have instead. */

interface MissingCommands {
  readonly names: readonly string[];
  /** A command, or words. */
  readonly instead: string;
}

export const missingCommands: readonly MissingCommands[] = [
  { names: ["apt", "apt-get", "pip", "pip3", "npm"], instead: "import numpy, pandas or matplotlib at once" },
  { names: ["git", "patch"], instead: "diff" },
  { names: ["gcc", "make", "node", "perl", "ruby", "go", "java", "php"], instead: "python3" },
  { names: ["sqlite3", "psql", "mysql"], instead: "python3" },
  { names: ["wget", "ssh", "nc", "ping", "rsync"], instead: "curl, where the network was allowed" },
  { names: ["zip", "unzip", "bzip2", "xz", "zstd", "7z"], instead: "gzip, tar, or python3 -m zipfile" },
  { names: ["bc", "dc", "factor", "numfmt", "cal"], instead: "awk or python3" },
  {
    names: ["dd", "shuf", "fmt", "tsort", "csplit", "yes"],
    instead: "head, sort, fold, or python3",
  },
  { names: ["hexdump", "base32", "cksum", "openssl"], instead: "xxd, base64, sha256sum" },
  { names: ["install", "mkfifo"], instead: "cp, a file" },
  { names: ["uname", "id", "ps", "top", "kill", "nohup", "sudo", "nproc", "uptime"], instead: "nothing" },
  { names: ["vi", "vim", "nano", "less", "more", "man", "watch"], instead: "sed, cat, --help" },
];

/** Differences from bash that cause no error (docs/containers.md has the rest). */
const DIFFERENCES =
  "Other than in bash: $'\\xff' writes no raw byte; a {1..N} has at most 10,000 words; awk ignores -v OFS; [!a-z] within " +
  "a pattern of case means the opposite; a command of a pipe runs to its end before the next one reads, so that one without an end (while true | head) " +
  "never stops; count with ((c[$w]++)); use python3 where it matters.";

/** For the description of a tool. */
export const MISSING_COMMANDS = `There are no ${
  missingCommands.map(({ names, instead }) => `${names.join(", ")} (instead: ${instead})`).join("; ")
}. Nothing runs in the background; trap knows EXIT only. ${DIFFERENCES}`;
