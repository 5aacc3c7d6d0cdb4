/** The Python side: runs code as the command `python3` does, or one call of `code_interpreter` after the other. */

import { CELLS } from "../../python/cells.ts";

export const RUNNER = `${CELLS}
import asyncio, atexit, builtins, errno, importlib, importlib.abc, io, linecache, os, random, runpy, signal, sys, traceback, types
from pyodide import webloop
from pyodide.ffi import can_run_sync, run_sync

sys.dont_write_bytecode = True
_path = [entry for entry in sys.path if entry]
_usage = "usage: python3 [-c cmd | -m mod | file | -] [arg] ...\\n"
_exit = os._exit
_process = None
_raised = None


def _wait(awaitable):
    """Waits as long as the command has by the clock, and then ends as at a signal: what waits asks for none."""
    global _raised, _waits
    if _process.clockLeftMs() <= 0:
        if asyncio.iscoroutine(awaitable):
            awaitable.close()
        raise _end()
    task = asyncio.ensure_future(awaitable)
    _waits += 1
    try:
        while not task.done():
            left = _process.clockLeftMs() / 1000
            if left <= 0:
                raise _end()
            run_sync(asyncio.wait({task, _raised}, timeout=left, return_when=asyncio.FIRST_COMPLETED))
            if _raised.done():
                error, _raised = _raised.result(), _loop.create_future()
                raise error
        return task.result()
    finally:
        _waits -= 1
        if not task.done():
            task.cancel()
            # It ends with the program, which says why.
            task._log_destroy_pending = False


def _end():
    """The end of the program's time, which it is told once."""
    global _interrupted
    _interrupted = True
    return KeyboardInterrupt()


def _raise(*_):
    """Raises an error in the program that waits: a task of its loop has ended with it."""
    if not _raised.done():
        _raised.set_result(sys.exception())


def _tell(loop, context):
    """Tells errors of tasks that nobody waits for, but for those that end the program."""
    if not isinstance(context.get("exception"), (KeyboardInterrupt, SystemExit)):
        loop.default_exception_handler(context)


_loop = asyncio.get_event_loop()
_loop.set_exception_handler(_tell)
_loop._keyboard_interrupt_handler = _loop._system_exit_handler = _raise
webloop.run_sync = _wait

_waits = 0
_interrupted = False
_killed = False
# A step of the loop that is lost is waited for without an end.
_uninterrupted = {"<runner>", webloop.__file__, asyncio.events.__file__, asyncio.tasks.__file__}


def _interrupt(number, frame):
    global _interrupted
    if _interrupted:
        return
    if frame.f_code.co_filename not in _uninterrupted:
        _interrupted = True
        raise KeyboardInterrupt
    if _waits > 0 and not _raised.done():
        _interrupted = True
        # What waits raises it, once the step is done.
        _raised.set_result(KeyboardInterrupt())


def _kill(number, frame):
    """Ends a program that has caught its end."""
    global _killed
    if _has_stopped:
        return
    if not _killed:
        _killed = True
        try:
            _finish()
        except BaseException:
            pass
    _exit(128 + number)


signal.signal(signal.SIGINT, _interrupt)
signal.signal(signal.SIGKILL, _kill)


class _Packages(importlib.abc.MetaPathFinder):
    """Asks for a package that is not there when it is imported first."""

    def __init__(self):
        self.asked = set()

    def find_spec(self, name, path=None, target=None):
        top = name.partition(".")[0]
        if path is not None or top in self.asked or not can_run_sync():
            return None
        self.asked.add(top)
        problem = run_sync(_process.install(top))
        importlib.invalidate_caches()
        if problem:
            raise ModuleNotFoundError(f"No module named {name!r}. {problem}", name=name)
        for finder in sys.meta_path:
            if finder is not self:
                spec = finder.find_spec(name, path, target)
                if spec is not None:
                    return spec
        return None


_packages = _Packages()
sys.meta_path.append(_packages)


def _system(command):
    raise OSError(errno.ENOTSUP, "no programs can be started from Python here: run them in the shell")


os.system = _system


def _main():
    module = types.ModuleType("__main__")
    module.__builtins__ = builtins
    sys.modules["__main__"] = module
    return module


def _execute(source, filename, file=None):
    module = _main()
    if file is not None:
        module.__file__ = file
    linecache.cache[filename] = (len(source), None, source.splitlines(True), filename)
    exec(compile(source, filename, "exec"), module.__dict__)


def _read(path):
    with io.open_code(path) as stream:
        return importlib.util.decode_source(stream.read())


def _run(args):
    skip = 0
    while skip < len(args) and args[skip].startswith("-") and args[skip] not in ("-", "-c", "-m"):
        option = args[skip]
        if option in ("-V", "--version", "-VV"):
            print("Python " + sys.version.split()[0])
            return
        if option in ("-h", "--help"):
            print(_usage, end="")
            return
        if option in ("-W", "-X"):
            skip += 1
        elif not set(option[1:]) <= set("uBbdEIiqsSvxOPR"):
            sys.stderr.write(f"Unknown option: {option}\\n" + _usage)
            raise SystemExit(2)
        skip += 1
    args = args[skip:]
    sys.argv = list(args) or [""]
    if args and args[0] in ("-c", "-m"):
        if len(args) < 2:
            sys.stderr.write(f"Argument expected for the {args[0]} option\\n" + _usage)
            raise SystemExit(2)
        sys.argv = [args[0], *args[2:]]
        sys.path.insert(0, os.getcwd() if args[0] == "-m" else "")
        if args[0] == "-m":
            runpy.run_module(args[1], run_name="__main__", alter_sys=True)
        else:
            _execute(args[1], "<string>")
    elif not args or args[0] == "-":
        sys.path.insert(0, "")
        _execute(sys.stdin.read(), "<stdin>")
    else:
        path = os.path.abspath(args[0])
        if os.path.isdir(path):
            runpy.run_path(path, run_name="__main__")
            return
        try:
            source = _read(path)
        except OSError as error:
            sys.stderr.write(f"python3: can't open file {path!r}: [Errno {error.errno}] {error.strerror}\\n")
            raise SystemExit(2)
        sys.path.insert(0, os.path.dirname(path))
        _execute(source, args[0], path)


def _finish():
    for stream in (sys.stdout, sys.stderr):
        if stream is not None and not stream.closed:
            stream.flush()


def _open_streams():
    sys.stdin = io.TextIOWrapper(io.FileIO(0, closefd=False), encoding="utf-8", errors="surrogateescape")
    sys.stdout = io.TextIOWrapper(io.FileIO(1, "w", closefd=False), encoding="utf-8", errors="surrogateescape", line_buffering=False)
    sys.stderr = io.TextIOWrapper(io.FileIO(2, "w", closefd=False), encoding="utf-8", errors="backslashreplace", write_through=True)


def _prepare(env, folder):
    # Every interpreter begins with the same memory, and with it the same numbers.
    random.seed()
    _open_streams()
    os.environ.clear()
    os.environ.update(env)
    os.environ.setdefault("HOME", "/home/user")
    os.environ.setdefault("MPLBACKEND", "agg")
    os.environ.setdefault("MPLCONFIGDIR", "/tmp/matplotlib")
    sys.path[:] = _path
    try:
        os.chdir(folder)
    except OSError:
        os.chdir("/home/user")


_has_begun = False


def _call(code, env, folder):
    global _interrupted, _killed, _has_begun
    _interrupted = _killed = False
    if _has_begun:
        _open_streams()
    else:
        _prepare(env, folder)
        sys.path.insert(0, "")
        sys.argv = [""]
        _has_begun = True
    streams = sys.stdout, sys.stderr
    status = run_cell(code, streams[1])
    for stream in streams:
        if not stream.closed:
            stream.flush()
    _finish()
    return status


def run(args, env, folder, process, is_call):
    global _process, _raised
    _process, _raised = process, _loop.create_future()
    webloop.scheduleCallback = process.schedule
    if is_call:
        return _call(args[0], env, folder)
    status = 0
    try:
        _prepare(env, folder)
        _run(args)
    except SystemExit as error:
        status = _status(error, sys.stderr)
    except KeyboardInterrupt as error:
        status = 130
        # The signal of timeout ends a program without a word.
        if not process.isStopped():
            _report(error, sys.stderr)
    except BaseException as error:
        status = 1
        _report(error, sys.stderr)
    atexit._run_exitfuncs()
    try:
        _finish()
    except Exception:
        status = status or 120
    return status


run
`;
