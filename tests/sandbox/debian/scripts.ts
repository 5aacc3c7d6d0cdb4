/** Everyday scripts, as models write them; each runs in an empty folder. */

export const scripts: Readonly<Record<string, string>> = {
  "pipeline_counts":
    "printf 'b\\na\\nb\\nc\\na\\nb\\n' | sort | uniq -c | sort -rn | awk '{print $2\"=\"$1}'",
  "top_words":
    "echo 'the cat and the dog and the bird' | tr ' ' '\\n' | sort | uniq -c | sort -k1,1nr -k2 | head -2 | awk '{print $2}'",
  "find_names":
    "mkdir -p src/lib; touch src/a.py src/lib/b.py src/c.txt; find src -name '*.py' | sort; find src -type d | sort; find src -type f ! -name '*.py'",
  "find_exec":
    "mkdir d; echo one > d/1; echo two > d/2; find d -type f -exec cat {} \\; | sort; find d -type f -exec grep -l two {} +",
  "xargs_args":
    "printf 'a b\\nc\\n' | xargs -n1 echo item; seq 6 | xargs -n 3 echo; echo 'x y' | xargs -I{} echo '[{}]'",
  "find_xargs_null": "mkdir d; touch 'd/a b' d/c; find d -type f -print0 | sort -z | xargs -0 -n1 basename",
  "sed_edit":
    "printf 'name=old\\nport=1\\n' > c.ini; sed -i 's/old/new/; s/^port=.*/port=8080/' c.ini; cat c.ini; sed -n '2p' c.ini; sed '1d' c.ini; sed -E 's/([a-z]+)=(.*)/\\2:\\1/' c.ini",
  "awk_sum":
    "printf 'a,1\\nb,2\\na,3\\n' | awk -F, '{s[$1]+=$2} END {for (k in s) print k, s[k]}' | sort; echo '3 4' | awk '{printf \"%.2f\\n\", $1/$2}'",
  "awk_table": "printf 'id name\\n1 x\\n2 y\\n' | awk 'NR>1 {print NR-1\": \"toupper($2)} END {print NR}'",
  "heredoc":
    "v=5; cat <<EOF\nvalue: $v $((v*2)) $(echo sub)\nEOF\ncat <<'EOF'\nraw: $v\nEOF\ncat <<-EOF\n\ttabbed\n\tEOF",
  "herestring": "read -r a b <<< 'one two three'; echo \"$b|$a\"; tr a-z A-Z <<< 'shout'; wc -w <<< 'a b c'",
  "arrays":
    'a=(x \'y z\' w); a+=(last); echo ${#a[@]} "${a[1]}" "${a[@]:1:2}"; for e in "${a[@]}"; do echo "<$e>"; done; unset \'a[0]\'; echo ${!a[@]}',
  "assoc":
    "declare -A m=([one]=1 [two]=2); m[three]=3; for k in $(printf '%s\\n' \"${!m[@]}\" | sort); do echo $k=${m[$k]}; done; [[ -v m[two] ]] && echo has; echo ${#m[@]}",
  "trap_exit": "t=tmpfile; trap 'rm -f \"$t\"; echo cleaned $?' EXIT; echo data > $t; cat $t; exit 4",
  "trap_reset": "trap 'echo never' EXIT; trap - EXIT; trap 'echo bye' EXIT; false; echo work",
  "subshell":
    "x=1; (x=2; cd /; echo $x); echo $x; pwd | sed 's|.*/||' | wc -l; y=$(x=3; echo $x); echo $x $y",
  "group_redirect": "{ echo out; echo err >&2; } > both.txt 2>&1; cat both.txt; { echo a; echo b; } | wc -l",
  "stderr_order":
    "ls missing 2>/dev/null || echo 'failed with' $?; (echo e >&2) 2>&1 | cat; echo x 2>&1 >/dev/null | wc -c",
  "python_oneliner":
    "python3 -c 'import sys; print(sum(int(x) for x in sys.stdin))' < <(seq 10); python3 -c \"print('a'.join(['1','2']))\"; echo '[3,1,2]' | python3 -c 'import json,sys; print(sorted(json.load(sys.stdin)))'",
  "python_script":
    "cat > s.py <<'EOF'\nimport sys\nprint(len(sys.argv), sys.argv[1:])\nsys.exit(3)\nEOF\npython3 s.py a 'b c'; echo $?; python3 -c 'raise SystemExit(\"no\")' 2>/dev/null; echo $?",
  "python_csv":
    'printf \'n,v\\na,2\\nb,5\\n\' > t.csv; python3 -c \'import csv; r=list(csv.DictReader(open("t.csv"))); print(sum(int(x["v"]) for x in r), [x["n"] for x in r])\'',
  "jq_basic":
    'echo \'{"a":[{"n":"x","v":1},{"n":"y","v":2}]}\' > j.json; jq -r \'.a[].n\' j.json; jq \'[.a[].v] | add\' j.json; jq -c \'.a[] | select(.v > 1)\' j.json; jq -r \'.a | length\' j.json',
  "jq_build":
    "jq -n --arg n Bob --argjson a 3 '{name: $n, age: $a}' | jq -c .; echo '[3,1,2]' | jq -c 'sort, map(. * 2)'; echo '{\"b\":1,\"a\":2}' | jq -S -c .",
  "csv_columns":
    "printf 'id,name,city\\n1,Ann,Oslo\\n2,Bob,Rome\\n' > p.csv; cut -d, -f2,3 p.csv; tail -n +2 p.csv | sort -t, -k3 | head -1; paste -sd, <(cut -d, -f1 p.csv)",
  "tar_roundtrip":
    "mkdir -p a/b; echo hi > a/b/f; tar czf t.tgz a; tar tzf t.tgz | sort; rm -r a; tar xzf t.tgz; cat a/b/f",
  "gzip_roundtrip": "echo data > f; gzip f; ls f*; zcat f.gz; gunzip f.gz; cat f; gzip -c f | gunzip",
  "date_format": "date -u -d '2024-02-29 12:34:56' '+%Y-%m-%d %H:%M:%S %j %a'; date -u -d @0 +%FT%TZ",
  "printf_formats":
    "printf '%05d|%-6s|%6.2f|%x|%o|%c\\n' 42 ab 3.14159 255 8 z; printf '%s\\n' a b c; printf '%q\\n' 'a b'; printf -v v '%03d' 7; echo $v",
  "sort_keys":
    "printf 'b 10\\na 9\\nc 100\\n' > s; sort -k2 -n s; sort -r s; sort -k2,2nr s | head -1; printf '10\\n9\\n2\\n' | sort; printf 'a\\nB\\nc\\n' | sort -f; sort -u <<< $'x\\nx\\ny'; printf '1.10\\n1.9\\n' | sort -V",
  "uniq_flags":
    "printf 'a\\na\\nb\\nc\\nc\\n' | uniq -d; printf 'a\\na\\nb\\n' | uniq -u; printf 'A\\na\\n' | uniq -i | wc -l",
  "loops":
    'for i in {1..3}; do for j in a b; do [ $i = 2 ] && continue 2; echo -n "$i$j "; done; done; echo; i=0; while [ $i -lt 3 ]; do i=$((i+1)); [ $i = 2 ] && continue; echo $i; done; until [ $i -ge 5 ]; do ((i++)); done; echo $i; for ((k=0;k<3;k++)); do echo -n $k; done; echo',
  "while_read":
    "printf 'a:1\\nb:2\\n' > f; n=0; while IFS=: read -r k v; do n=$((n+v)); echo \"$k->$v\"; done < f; echo total $n",
  "functions":
    'add() { local s=0 x; for x in "$@"; do s=$((s+x)); done; echo $s; return 7; }; add 1 2 3; echo $?; f() { echo "$# $1 ${@: -1}"; }; f a b c; fact() { [ $1 -le 1 ] && echo 1 || echo $(( $1 * $(fact $(($1-1))) )); }; fact 6',
  "exit_statuses":
    "true; echo $?; false; echo $?; (exit 42); echo $?; ! true; echo $?; nosuchcommand 2>/dev/null; echo $?; false | true; echo $? ${PIPESTATUS[0]}; bash -c 'exit 9'; echo $?; true && false || echo chain",
  "set_e":
    "bash -c 'set -e; false; echo never'; echo $?; bash -c 'set -e; if false; then :; fi; false || true; ! true; echo reached'; set -eo pipefail; (false | true) || echo piped; echo end",
  "param_expansion":
    "p=/a/b/file.tar.gz; echo ${p##*/} ${p%/*} ${p%%.*} ${p#*.} ${#p} ${p/b/X} ${p//a/_} ${none:-default} ${p:3:4}; s=Hello; echo ${s^^} ${s,,} ${s: -2}; : ${z:=set}; echo $z; echo ${none:+no}${p:+yes}",
  "arithmetic":
    "echo $((7/2)) $((7%3)) $((2**10)) $((-7/2)) $((3>2)) $((1?5:6)) $((0xff)) $((010)); x=5; ((x+=3)); echo $x; let y=x*2; echo $y; echo $((x++ + ++x)) $x",
  "case_glob":
    "for f in a.txt b.md c.txt; do case $f in *.txt) echo text $f;; *.md|*.rst) echo doc $f;; *) echo other;; esac; done; touch q1 q2 r1; echo q*; echo [qr]1; echo none*; shopt -s nullglob; echo none* end",
  "conditionals":
    "[ -n abc -a 3 -gt 2 ] && echo 1; [[ abc == a* && abc =~ ^a(.)c$ ]] && echo ${BASH_REMATCH[1]}; touch e; [ -s e ] || echo empty; [ -f e ] && [ ! -d e ] && echo file; [[ b > a ]] && echo gt; test 5 -ne 6 && echo ne",
  "grep_flags":
    "printf 'Foo 1\\nbar 2\\nfoo 3\\n' > g; grep -i foo g; grep -c foo g; grep -n bar g; grep -v foo g | wc -l; grep -oE '[0-9]+' g | paste -sd+; grep -q nope g; echo $?; grep -A1 Foo g; grep -w fo g || echo none; mkdir d; mv g d; grep -rl bar d; grep -rc bar",
  "text_tools":
    "printf 'a b c\\n' | cut -d' ' -f2; echo abcdef | cut -c2-4; echo hello | rev; printf '1\\n2\\n3\\n' | tac; seq 1 2 7 | paste -sd,; printf 'a\\tb\\n' | expand -t4; echo 'x:y' | tr ':' '-'; echo aabbc | tr -s ab; echo hello | tr -d l; nl -ba <<< $'p\\nq'; fold -w3 <<< abcdefg",
  "join_comm_diff":
    "printf '1 a\\n2 b\\n' > x; printf '1 X\\n3 Y\\n' > y; join x y; comm -12 <(cut -d' ' -f1 x) <(cut -d' ' -f1 y); diff x x && echo same; diff -q x y; echo $?",
  "files":
    "mkdir -p a/b; echo 1 > a/f; cp -r a c; mv c/f c/g; ls c; ln -s a/f l; readlink l; cat l; rm -r a; ls -d a 2>/dev/null || echo gone; [ -L l ] && echo link; touch z; chmod 640 z; stat -c '%a %s %n' z; basename /x/y.txt .txt; dirname /x/y.txt",
  "head_tail_wc":
    "seq 10 > n; head -3 n | tail -1; tail -n 2 n; head -c 4 n | wc -c; wc -l < n; tail -n +9 n; sed -n '3,4p' n; split -l 4 n part_; ls part_*; cat part_ac",
  "base64_sums":
    "echo -n hello | base64; echo aGVsbG8= | base64 -d; echo; echo -n hello | md5sum; echo -n hello | sha256sum | cut -c1-16; echo -n abc | od -An -tx1",
  "eval_source":
    "echo 'G=hi; g() { echo \"$G $1\"; }' > lib.sh; . ./lib.sh; g there; eval 'a=1; b=$((a+1))'; echo $b; v=G; echo ${!v}; source lib.sh && echo ok",
  "script_file":
    "printf '#!/bin/bash\\nset -u\\necho \"$# $1\"\\nshift\\necho \"$@\"\\n' > r.sh; chmod +x r.sh; ./r.sh a b c; bash r.sh x; sh -c 'echo $0 $1' name arg",
  "getopts":
    "p() { local OPTIND o; while getopts 'ab:' o; do case $o in a) echo A;; b) echo B=$OPTARG;; *) echo bad;; esac; done; shift $((OPTIND-1)); echo rest $*; }; p -a -b 3 x y",
  "timeout_env":
    "timeout 5 echo fast; timeout 0.2 sleep 5; echo $?; env A=1 sh -c 'echo $A'; B=2 bash -c 'echo $B'; export C=3; bash -c 'echo $C'; x=$(timeout 20 python3 -c 'print(6*7)'); echo $x",
  "mapfile_ifs":
    "mapfile -t l < <(printf 'x\\ny z\\n'); echo ${#l[@]} \"${l[1]}\"; IFS=, read -ra p <<< 'a,b,c'; echo ${p[2]}; (IFS=-; echo \"${p[*]}\"); s='k=v=w'; echo ${s%%=*} ${s#*=}",
  "quoting":
    "a='it'\"'\"'s'; echo \"$a\"; echo 'no $exp' \"tab\\t\" $'tab\\tend'; echo \"a  b\" a  b; x='*'; echo \"$x\"; echo \\$HOME; echo -e 'l1\\nl2'; echo -n no; echo",
  "process_subst":
    "paste <(seq 3) <(seq 4 6); cat <(echo one) <(echo two); while read x; do s=$((s+x)); done < <(seq 4); echo $s; tee copy.txt <<< kept > /dev/null; cat copy.txt",
  "redirect_missing": "echo x > nodir/f; echo $?; cat < nofile; echo $?; echo still; : > ok.txt; ls ok.txt",
  "errors_status":
    "cat nofile; echo $?; mkdir d; mkdir d; echo $?; rm nofile; echo $?; rmdir d; cd nodir; echo $?; ls nofile; echo $?; grep x nofile; echo $?; cp nofile y; echo $?",
  "arith_substitution":
    "f() { echo $(( $1 + 1 )); }; echo $(( $(f 4) * 2 )); x=3; a=(5 6); echo $(( $(echo $x) + $(echo ${a[1]}) )); cd /; echo $(( $(pwd | wc -c) )); [ $(( $(f 1) )) -eq 2 ] && echo yes",
  "ls_paths":
    "touch a b; mkdir d e; touch d/x; ls a b; ls b d a; ls d e; ls -d d e; ls -1 d; ls a missing 2>/dev/null; echo $?",
  "paste_columns": "seq 3 | paste -s -d ,; seq 4 | paste - -; paste -d'|' <(seq 2) <(printf 'a\\nb\\nc\\n')",
  "exec_replaces":
    "echo before; (exec echo replaced; echo never); exec sh -c 'echo last; exit 3'; echo never",
  "names_from_expansions":
    "CMD='echo a  b'; $CMD c; cmd=(printf '%s|' 'x y' z); \"${cmd[@]}\"; echo; $(echo echo sub) 1; f() { echo f:$#; }; N=f; $N 1 2; $EMPTY; echo $?; $EMPTY echo rest; V=1 $CMD; 'no such' 2>/dev/null; echo $?; \"$CMD\" 2>/dev/null; echo $?; O=-n; echo $O q; echo; sudo=; $sudo ls -d /",
  "status_of_assignments":
    "false; x=1; echo $?; false; rc=$?; echo $? $rc; x=$(exit 3); echo $?; x=$(false) y=2; echo $?; set -e; f() { return 3; }; f || rc=$?; echo $rc; false || rc=$? && echo $rc; x=$(false) || echo caught; echo end",
};
