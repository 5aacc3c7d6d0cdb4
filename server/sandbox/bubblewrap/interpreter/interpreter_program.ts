/**
 * Python of a container that stays from call to call. Two processes: the interpreter runs the code, and its parent
 * talks with the keeper in frames (server/sandbox/keeper/frames.ts). Each call has pipes of its own, so that nothing that an
 * earlier one has left running is taken for its output. Whatever comes from here may be forged by the code.
 */

import * as z from "zod";
import { CELLS } from "../../python/cells.ts";

/** To the interpreter: `code` in parts, `run` behind them, and `interrupt` at the end of its time. */
export type InterpreterRequest = { readonly type: "code" | "run" | "interrupt" };

/** From it. */
export const interpreterReplySchema = z.discriminatedUnion("type", [
  /** The body is output. */
  z.strictObject({ type: z.literal("stdout") }),
  z.strictObject({ type: z.literal("stderr") }),
  /** The call has ended; where the interpreter has too, its processes end behind this. */
  z.strictObject({ type: z.literal("done"), code: z.int().min(0).max(255), isAlive: z.boolean() }),
]);

export type InterpreterReply = z.output<typeof interpreterReplySchema>;

/** Modules of its own come from the system, whatever lies in the working folder. */
const IMPORTS = `
import sys
sys.path[:] = [entry for entry in sys.path if entry]
import io, json, os, select, signal, socket, struct, threading
`;

const INTERPRETER = `
_pid = None
_null = None
_call = 0


def _is_current():
    """Whether a thread belongs to the call that runs: it was started in it."""
    thread = threading.current_thread()
    if not hasattr(thread, "_call") and thread is not threading.main_thread():
        thread._call = _call
    return getattr(thread, "_call", _call) == _call


class _Stream(io.TextIOWrapper):
    def write(self, text):
        return super().write(text) if _is_current() else len(text)


_start = threading.Thread.start


def _start_thread(self):
    self._call = getattr(threading.current_thread(), "_call", _call)
    _start(self)


threading.Thread.start = _start_thread


def _ignore(*_):
    """Takes an interrupt that no code is there for."""


def _begin(outputs):
    global _call
    _call += 1
    for number, fd in enumerate(outputs, 1):
        os.dup2(fd, number)
        os.close(fd)
    signal.signal(signal.SIGINT, _ignore)
    sys.stdin = open(os.devnull)
    sys.stdout = _Stream(io.FileIO(1, "w", closefd=False), "utf-8", "surrogateescape")
    sys.stderr = _Stream(io.FileIO(2, "w", closefd=False), "utf-8", "backslashreplace", write_through=True)
    return sys.stdout, sys.stderr


def _flush(streams):
    for stream in streams:
        try:
            if stream is not None and not stream.closed:
                stream.flush()
        except Exception:
            # The program has made it what it is.
            pass


def _receive(control, size):
    code = bytearray()
    while len(code) < size:
        part = control.recv(size - len(code))
        if not part:
            os._exit(1)
        code += part
    return code.decode("utf-8", "surrogateescape")


def _run(code, streams):
    status = 130
    try:
        # Python's own: with another one, asyncio may lose a step of its loop, and waits for it without an end.
        signal.signal(signal.SIGINT, signal.default_int_handler)
        status = run_cell(code, streams[1])
        signal.signal(signal.SIGINT, _ignore)
    except KeyboardInterrupt:
        # It came behind the program's own end.
        signal.signal(signal.SIGINT, _ignore)
    _flush([sys.stdout, sys.stderr, *streams])
    return status


def _interpret(control):
    global _pid, _null
    os.setpgid(0, 0)
    _pid = os.getpid()
    _null = os.open(os.devnull, os.O_RDWR)
    for number in range(3):
        os.dup2(_null, number)
    sys.path.insert(0, "")
    sys.argv[:] = [""]
    sys.modules["__main__"] = _notebook
    while True:
        start, outputs, _, _ = socket.recv_fds(control, 4, 2)
        if len(start) < 4:
            os._exit(1)
        code = _receive(control, struct.unpack(">I", start)[0])
        status = _run(code, _begin(outputs))
        if os.getpid() != _pid:
            # A copy that the program has made of itself.
            os._exit(status)
        for number in (1, 2):
            os.dup2(_null, number)
        control.send(bytes([status]))
`;

const RELAY = `
_most = 1024 * 1024


def _tell(body=b"", **header):
    text = json.dumps(header).encode()
    rest = memoryview(struct.pack(">II", len(text), len(body)) + text + body)
    while rest:
        rest = rest[os.write(1, rest):]


class _Relay:
    def __init__(self, control, pid):
        self.control, self.pid = control, pid
        self.frames, self.code, self.outputs = bytearray(), bytearray(), {}
        self.poll = select.poll()
        wake, woken = os.pipe()
        os.set_blocking(woken, False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(woken)
        self.wake = wake
        for fd in (0, control.fileno(), wake):
            self.poll.register(fd, select.POLLIN)

    def serve(self):
        self.look()
        while True:
            for fd, _ in self.poll.poll():
                if fd == 0:
                    self.take(os.read(0, _most))
                elif fd == self.wake:
                    os.read(fd, 64)
                    self.look()
                elif fd == self.control.fileno():
                    self.hear()
                elif fd in self.outputs:
                    self.hand_on(fd)

    def take(self, data):
        if not data:
            os._exit(0)
        self.frames += data
        while len(self.frames) >= 8:
            header, body = struct.unpack(">II", self.frames[:8])
            if len(self.frames) < 8 + header + body:
                return
            kind = json.loads(self.frames[8:8 + header])["type"]
            content = self.frames[8 + header:8 + header + body]
            del self.frames[:8 + header + body]
            if kind == "code":
                self.code += content
            elif kind == "run":
                self.run()
            else:
                os.killpg(self.pid, signal.SIGINT)

    def run(self):
        pipes = {"stdout": os.pipe(), "stderr": os.pipe()}
        try:
            socket.send_fds(self.control, [struct.pack(">I", len(self.code))], [end for _, end in pipes.values()])
            self.control.sendall(self.code)
        except OSError:
            # It has ended, of which a signal tells.
            pass
        self.code.clear()
        for name, (fd, end) in pipes.items():
            os.close(end)
            os.set_blocking(fd, False)
            self.outputs[fd] = name
            self.poll.register(fd, select.POLLIN)

    def hand_on(self, fd):
        """Returns the number of bytes."""
        try:
            data = os.read(fd, 65536)
        except BlockingIOError:
            return 0
        if data:
            _tell(data, type=self.outputs[fd])
        else:
            self.drop(fd)
        return len(data)

    def drop(self, fd):
        if self.outputs.pop(fd, None):
            self.poll.unregister(fd)
            os.close(fd)

    def hear(self):
        """The interpreter has ended its call, or has lost its way to say so."""
        data = self.control.recv(1)
        if data:
            self.end(data[0], True)
        else:
            self.poll.unregister(self.control.fileno())

    def end(self, code, is_alive, words=""):
        for fd in list(self.outputs):
            left = _most
            while left > 0 and (size := self.hand_on(fd)) > 0:
                left -= size
            self.drop(fd)
        if words:
            _tell(words.encode(), type="stderr")
        _tell(type="done", code=code, isAlive=is_alive)

    def look(self):
        """Whether the interpreter has ended."""
        pid, status = os.waitpid(self.pid, os.WNOHANG)
        if pid == 0:
            return
        code = os.waitstatus_to_exitcode(status)
        if code < 0:
            self.end(128 - code, False, f"{signal.strsignal(-code)}\\n")
        else:
            self.end(code, False)
        os._exit(0)


_control, _other = socket.socketpair()
_child = os.fork()
if _child == 0:
    _control.close()
    _interpret(_other)
_other.close()
_Relay(_control, _child).serve()
`;

export const INTERPRETER_PROGRAM: string = [IMPORTS, CELLS, INTERPRETER, RELAY].join("");
