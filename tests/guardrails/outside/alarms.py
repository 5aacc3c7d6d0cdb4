"""alarms.py: code and logs in which hardly anything is to be found, as JSON lines: set, text."""

import json
import pathlib
import random
import subprocess
import sysconfig
import uuid

CHARS = 300_000


def code(root, ending):
    kept, size = [], 0
    files = sorted(path for path in pathlib.Path(root).rglob(f"*{ending}") if "test" not in str(path))
    random.Random(7).shuffle(files)
    for path in files:
        text = path.read_text(encoding="utf-8", errors="replace")
        if size < CHARS and len(text) < 60_000 and "site-packages" not in str(path):
            kept.append(text)
            size += len(text)
    return "\n".join(kept)


def logs():
    chance = random.Random(7)
    lines = []
    for n in range(3_000):
        number = chance.randrange(10**15)
        ids = uuid.UUID(int=chance.getrandbits(128))
        lines.append(
            f"2026-11-{n % 28 + 1:02}T10:{n % 60:02}:07.{n:06}Z INFO order={number % 10**10} took={n}ms span={number:x} "
            f"request={ids} epoch={1_764_000_000_000 + number % 10**9} bytes={number % 10**8} v{n % 9}.{n % 7}.{n % 13}.{n % 5}"
        )
    return "\n".join(lines)


root = subprocess.run(["go", "env", "GOROOT"], capture_output=True, text=True, check=True).stdout.strip()
for collection, text in {
    "Python's library": code(sysconfig.get_paths()["stdlib"], ".py"),
    "Go's library": code(f"{root}/src/net", ".go") + code(f"{root}/src/crypto", ".go"),
    "logs": logs(),
}.items():
    print(json.dumps({"set": collection, "text": text}))
