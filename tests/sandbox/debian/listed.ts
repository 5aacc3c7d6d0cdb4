/** Snippets that differ in the engine `virtual` without failing as a whole, by the row of docs/containers.md. */

const rows: readonly (readonly [string, readonly string[]])[] = [
  ["commands that are not there, options that are refused", [
    "cut_variants",
    "dates",
    "diff_forms",
    "file_types",
    "git_basics",
    "grep_context",
    "gzip_family",
    "hexdumps",
    "join_files",
    "nl_fold_fmt",
    "number_formats",
    "pipelines_status",
    "seq_sums",
    "sqlite_import",
    "system_report",
    "tar_binary",
    "which_programs",
    "zero_files",
  ]],
  ["`stat -c`", ["stat_touch"]],
  ["`python3`", ["argument_parser", "ast_evaluation", "json_roundtrip", "matrix_numbers"]],
  ["`ls FILE`, `&>`", ["tee_redirections"]],
  ["arrays", ["array_tools", "namerefs"]],
  ["`printf`", ["printf_variants"]],
  ["`[!…]` in `case`", ["case_patterns"]],
  ["`awk`", ["awk_functions", "awk_paragraphs", "awk_report", "awk_two_files", "log_rotation"]],
  ["`jq`", ["jq_csv", "jq_errors", "jq_functions", "jq_reduce", "jq_walk"]],
  ["`for f; do`", ["find_exec_forms"]],
  ["`trap`", ["error_trap"]],
  ["`$0` of a script", ["shebangs"]],
  ["`c[$w]=$((${c[$w]:-0}+1))`", ["counters"]],
  ["`&`, `jobs`, `fg`, `bg`, `disown`, `coproc`, `kill`", ["background_jobs"]],
  ["`cut -c`, `tr`, `base64 -d`", ["base64_files", "text_tables"]],
];

/** By snippet. */
export const listedRows: ReadonlyMap<string, string> = new Map(
  rows.flatMap(([row, names]) => names.map((name) => [name, row] as const)),
);
