/** Snippets that differ in the engine `virtual` without failing as a whole. */

/**
 * Words on standard error of commands and options that are not there: the snippet goes on without them, and does not
 * differ in anything else.
 */
export const refusedWords: ReadonlyMap<string, readonly string[]> = new Map(Object.entries({
  awk_paragraphs: ['awk: RS="" is not there'],
  diff_forms: ["diff: invalid option -- 'y'"],
  error_trap: ["trap: ERR: cannot be trapped here"],
  git_basics: ["git: command not found"],
  grep_context: ["grep: invalid regular expression"],
  gzip_family: ["zgrep: command not found"],
  hexdumps: ["od: only -t x1", "hexdump: command not found"],
  join_files: ["join: invalid field spec"],
  jq_csv: ["jq: parse error"],
  jq_reduce: ["jq: error: Unknown function: inputs"],
  nl_fold_fmt: ["fmt: command not found"],
  number_formats: ["numfmt", "bc", "factor", "shuf"].map((name) => `${name}: command not found`),
  pipelines_status: ["yes: command not found"],
  sqlite_import: ["sqlite3: command not found"],
  tar_binary: ["tar: -O writes ASCII only here", "tr: the input is no text in UTF-8"],
}));

/** By the row of docs/containers.md that says what is otherwise. */
const rows: readonly (readonly [string, readonly string[]])[] = [
  // The script sends the words to /dev/null.
  ["commands that are not there, options that are refused", ["zero_files"]],
  ["arithmetic", ["seq_sums"]],
  ["`{1..N}`", ["seq_sums"]],
  ["`/dev/zero`, `/dev/random`, `/dev/tty`, `/etc`", ["system_report"]],
  ["`[ -x FILE ]`", ["which_programs"]],
  ["`stat -c`, `touch -t`, `ls -l`", ["stat_touch"]],
  ["`python3`", ["argument_parser", "ast_evaluation", "json_roundtrip", "matrix_numbers"]],
  ["`ls FILE`, `&>`", ["tee_redirections"]],
  ["arrays", ["array_tools", "namerefs"]],
  ["`printf`", ["printf_variants"]],
  ["`awk`", ["awk_functions", "awk_two_files"]],
  ["`jq`", ["jq_errors", "jq_functions", "jq_walk"]],
  ["`for f; do`", ["find_exec_forms"]],
  ["`$0` of a script", ["shebangs"]],
  ["`c[$w]=$((${c[$w]:-0}+1))`", ["counters"]],
  ["`&`, `jobs`, `fg`, `bg`, `disown`, `coproc`, `kill`", ["background_jobs"]],
  ["`tr`, `base64 -d`", ["base64_files", "text_tables"]],
];

/** Each snippet with each of its rows. */
export const listedRows: readonly (readonly [name: string, row: string])[] = rows.flatMap(([row, names]) =>
  names.map((name) => [name, row] as const)
);
