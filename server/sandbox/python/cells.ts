/**
 * The Python side of `code_interpreter` in both engines: runs one program after the other in one `__main__`, as the
 * cells of a notebook, and keeps the plots that each has drawn. Its frames are left out of traces.
 */

/** Plots that a call may draw. */
export const MAX_PLOTS = 20;

export const CELLS = `
import ast, builtins, importlib, importlib.abc, linecache, os, sys, traceback, types

_home = "/home/user"
_notebook = types.ModuleType("__main__")
_notebook.__builtins__ = builtins
_cell = 0
_plots = 0
_last_plot = 0
# The program has ended at its interrupt, and only its trace is to be written.
_has_stopped = False


def _input(prompt=""):
    raise EOFError("nobody answers input() here: write the value into the code")


def _keep_plot(figure):
    """Saves a figure, unless the program has done so itself and has not changed it since."""
    global _plots, _last_plot
    if not figure.axes or (getattr(figure, "_is_saved", False) and not figure.stale):
        return
    _plots += 1
    if _plots > ${MAX_PLOTS}:
        if _plots == ${MAX_PLOTS} + 1:
            print("Only the first ${MAX_PLOTS} plots of a call are kept.", file=sys.stderr)
        return
    _last_plot += 1
    while os.path.lexists(f"{_home}/plot-{_last_plot}.png"):
        _last_plot += 1
    figure.savefig(f"{_home}/plot-{_last_plot}.png", bbox_inches="tight")


def _keep_plots(*_, **__):
    pyplot = sys.modules.get("matplotlib.pyplot")
    for number in getattr(pyplot, "get_fignums", list)():
        figure = pyplot.figure(number)
        _keep_plot(figure)
        pyplot.close(figure)


def _set_up_pandas(pandas):
    pandas.set_option("display.max_columns", 60)
    pandas.set_option("display.width", 160)


def _set_up_pyplot(pyplot):
    pyplot.show = _keep_plots


def _set_up_figure(module):
    save = module.Figure.savefig

    def savefig(self, *args, **more):
        save(self, *args, **more)
        self._is_saved, self.stale = True, False

    module.Figure.savefig = savefig


_set_ups = {"pandas": _set_up_pandas, "matplotlib.pyplot": _set_up_pyplot, "matplotlib.figure": _set_up_figure}


class _SetUps(importlib.abc.MetaPathFinder):
    """Sets up a module in the moment in which the program imports it."""

    def find_spec(self, name, path=None, target=None):
        if name not in _set_ups:
            return None
        for finder in list(sys.meta_path):
            spec = None if finder is self else finder.find_spec(name, path, target)
            if spec is not None and spec.loader is not None:
                self._follow(name, spec.loader)
                return spec
        return None

    def _follow(self, name, loader):
        execute = loader.exec_module

        def exec_module(module):
            execute(module)
            _set_ups[name](module)

        loader.exec_module = exec_module


sys.meta_path.insert(0, _SetUps())


def _execute_cell(source, filename):
    tree = compile(source, filename, "exec", ast.PyCF_ONLY_AST, True)
    linecache.cache[filename] = (len(source), None, source.splitlines(True), filename)
    last = None
    if tree.body and isinstance(tree.body[-1], ast.Expr) and not source.rstrip().endswith(";"):
        last = ast.Expression(tree.body.pop().value)
    exec(compile(tree, filename, "exec", 0, True), _notebook.__dict__)
    if last is not None:
        sys.displayhook(eval(compile(last, filename, "eval", 0, True), _notebook.__dict__))


def _report(error, file):
    report = traceback.TracebackException(type(error), error, error.__traceback__)
    one, seen = report, set()
    while one is not None and id(one) not in seen:
        seen.add(id(one))
        one.stack[:] = [frame for frame in one.stack if frame.filename != "<runner>"]
        one = one.__cause__ or one.__context__
    report.print(file=file)


def _status(error, file):
    if error.code is None:
        return 0
    if isinstance(error.code, int):
        return error.code & 255
    file.write(f"{error.code}\\n")
    return 1


def run_cell(source, stderr):
    """Returns the status; what went wrong is told on the stream, whatever the program has made of its own."""
    global _cell, _has_stopped, _plots
    _cell, _has_stopped, _plots = _cell + 1, False, 0
    sys.modules["__main__"] = _notebook
    builtins.input = _input
    importlib.invalidate_caches()
    try:
        try:
            _execute_cell(source, f"<call {_cell}>")
        finally:
            _keep_plots()
    except SystemExit as error:
        return _status(error, stderr)
    except KeyboardInterrupt as error:
        _has_stopped = True
        _report(error, stderr)
        return 130
    except BaseException as error:
        _report(error, stderr)
        return 1
    return 0
`;
