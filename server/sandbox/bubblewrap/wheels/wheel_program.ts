/**
 * Program in Python that unpacks a wheel: standard input has its name in a line, and its bytes. Prints each file and
 * each compiled module, see unpack_wheel.ts; the last line on stderr says why a wheel cannot be used.
 */

export const WHEEL_PROGRAM = `
import os, platform, py_compile, re, stat, sys, zipfile

MOST_BYTES, MOST_FILES = 256 * 1024 * 1024, 15_000
source = sys.stdin.buffer
name = source.readline().decode().strip()

def refuse(reason):
    print(reason, file=sys.stderr)
    sys.exit(1)

own = f"cp{sys.version_info[0]}{sys.version_info[1]}"
libc = os.confstr("CS_GNU_LIBC_VERSION") or ""
machine = platform.machine()

def fits_platform(tag):
    if tag == "any" or tag == f"linux_{machine}":
        return True
    known = {"manylinux1": (2, 5), "manylinux2010": (2, 12), "manylinux2014": (2, 17)}
    match = re.fullmatch(r"(manylinux(?:1|2010|2014)|manylinux_(\\d+)_(\\d+))_" + re.escape(machine), tag)
    if match is None or not libc.startswith("glibc "):
        return False
    least = known.get(match[1]) or (int(match[2]), int(match[3]))
    return tuple(map(int, libc.split()[1].split(".")[:2])) >= least

def fits(python, abi, platform_tag):
    if not fits_platform(platform_tag):
        return False
    if abi == "none":
        return python in ("py3", own.replace("cp", "py"), own)
    if abi == "abi3":
        match = re.fullmatch(r"cp3(\\d+)", python)
        return match is not None and int(match[1]) <= sys.version_info[1]
    return python == own and abi == own

tags = [part.split(".") for part in name.removesuffix(".whl").split("-")[-3:]]
if len(tags) < 3 or not any(fits(p, a, s) for p in tags[0] for a in tags[1] for s in tags[2]):
    refuse(f"it is not for this Python, which takes py3-none-any and {own}-{own} on {libc or 'no glibc'} and {machine}")
with open("/tmp/wheel", "wb") as file:
    while part := source.read(1 << 20):
        file.write(part)
try:
    archive = zipfile.ZipFile("/tmp/wheel")
except zipfile.BadZipFile:
    refuse("it is no wheel")
entries = [entry for entry in archive.infolist() if not entry.is_dir()]
if len(entries) > MOST_FILES or sum(entry.file_size for entry in entries) > MOST_BYTES:
    refuse(f"it has more than {MOST_FILES} files or 256 MiB")

def emit(path, content):
    sys.stdout.buffer.write(f"{len(content)} {path}\\0".encode())
    sys.stdout.buffer.write(content)

for entry in entries:
    if stat.S_ISLNK(entry.external_attr >> 16):
        refuse("it has a link")
    path = entry.filename
    inner = re.fullmatch(r"[^/]+\\.data/(?:(purelib|platlib)/)?(.*)", path, re.S)
    if inner is not None and inner[1] is None:
        continue
    path = path if inner is None else inner[2]
    with archive.open(entry) as file:
        content = file.read(entry.file_size + 1)
    if len(content) != entry.file_size:
        refuse("a file of it has another size than it says")
    emit(path, content)
    if not path.endswith(".py"):
        continue
    with open("/tmp/module.py", "wb") as file:
        file.write(content)
    mode = py_compile.PycInvalidationMode.UNCHECKED_HASH
    made = py_compile.compile("/tmp/module.py", "/tmp/module.pyc", f"/opt/python/{path}", invalidation_mode=mode, quiet=2)
    if made is not None:
        folder, _, module = path.rpartition("/")
        with open(made, "rb") as file:
            emit(f"{folder}/__pycache__/{module[:-3]}.{sys.implementation.cache_tag}.pyc".lstrip("/"), file.read())
sys.stdout.buffer.flush()
`;
