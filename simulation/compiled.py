"""Kernels compiled by numba, kept in a cache under a digest of their sources.

Loaded when a first kernel is compiled or loaded from the cache.
"""

import gc
from collections.abc import Callable
from itertools import count
from pathlib import Path
from secrets import randbits
from threading import Lock
from typing import Any

import numba
from numba import objmode
from numba.core import (
    bytecode,
    caching,
    codegen,
    compiler,
    compiler_machinery,
    event,
    typed_passes,
)

from ..instances.outcome import start_clock, stop_clock

TRIED = ("0.68",)
"""Versions of numba with which it was tried."""


class _Linked(codegen.JITCodeLibrary):  # type: ignore[misc]
    """Code that is linked into other code and never stands alone."""

    def finalize(self) -> None:
        """Link the called functions."""
        for library in dict.fromkeys(self._linking_libraries):
            self._reload_init.update(library._reload_init)
            self._final_module.link_in(library._get_module_for_linking(), preserve=True)
        self._finalized = True

    def get_pointer_to_function(self, _name: str) -> int:
        """Return that it is nowhere."""
        return 0

    @property
    def codegen(self) -> Any:
        """Return itself: kernels have no Python objects to register."""
        return self

    def set_env(self, _name: str, _env: Any) -> None:
        """Leave the environments unchanged."""


@compiler_machinery.register_pass(mutates_CFG=False, analysis_only=True)
class _Link(compiler_machinery.LoweringPass):  # type: ignore[misc]
    _name = "link_kernel"

    def __init__(self) -> None:
        compiler_machinery.LoweringPass.__init__(self)

    def run_pass(self, state: Any) -> bool:
        """Set the library that lowered code goes to."""
        state.library = _Linked(state.targetctx.codegen(), state.func_id.func_qualname)
        return False


class KernelCompiler(compiler.CompilerBase):  # type: ignore[misc]
    """numba's passes, but for that.

    numba compiles each function separately, after it has linked all its callees and optimised the
    whole. The end of a chain of calls is therefore optimised once per link. Here kernels are only
    lowered. They are linked and optimised with the entry.

    This rests on insides of numba, so versions that it was not tried with do as they always did.
    """

    def define_pipelines(self) -> list[Any]:
        """Return the passes."""
        passes = compiler.DefaultPassBuilder.define_nopython_pipeline(self.state)
        if numba.__version__.rpartition(".")[0] in TRIED:
            passes.add_pass_after(_Link, typed_passes.AnnotateTypes)
            passes.finalize()
        return [passes]


def _asked(function: Callable[..., float]) -> Callable[..., float]:
    """Return a function of seven whole numbers that calls another out of compiled code."""

    def ask(a: int, b: int, c: int, d: int, e: int, f: int, g: int) -> float:
        with objmode(answer="float64"):
            answer = function(a, b, c, d, e, f, g)
        return float(answer)

    return ask


class _AtWork(event.Listener):  # type: ignore[misc]
    """Stops the clock while numba works, and postpones garbage collection: a tenth of its time."""

    depth, collects = 0, False

    def on_start(self, event: Any) -> None:
        """Stop the clock."""
        stop_clock()
        if not self.depth:
            self.collects = gc.isenabled()
            gc.disable()
        self.depth += 1

    def on_end(self, event: Any) -> None:
        """Restart the clock."""
        self.depth -= 1
        if not self.depth and self.collects:
            gc.enable()
        start_clock()


event.register("numba:compiler_lock", _AtWork())


class ByDigest:
    """The cache of a kernel in numba, under the digest of all its dependencies."""

    wanted = ("", "")
    """The folder and the digest of the kernel that is being made."""

    def __init__(self, file: str) -> None:
        """Use the cache of the kernel that is being compiled, whose code is in a file."""
        self._folder, self._digest = self.wanted
        self._py_file = file
        """Numba names it where it warns that it cannot keep code, as with `NUMBA_OPT=0`."""

    @classmethod
    def from_function(cls, _function: Any, file: str) -> "ByDigest":
        """Return the place for the kernel that is being made."""
        return cls(file)

    def get_cache_path(self) -> str:
        """Return the folder."""
        return self._folder

    def get_source_stamp(self) -> str:
        """Return a stamp that changes with the sources."""
        return self._digest

    def get_disambiguator(self) -> str:
        """Return the part in which the file names differ."""
        return self._digest

    def ensure_cache_path(self) -> None:
        """Create the folder, even if somebody has removed it."""
        Path(self._folder).mkdir(0o700, parents=True, exist_ok=True)


class KeptCode(caching.IndexDataCacheFile):  # type: ignore[misc]
    """The index of a kept kernel, empty if its types no longer exist.

    Signatures are kept with the modules of their record types, and a release may move one.
    """

    def _load_index(self) -> dict[Any, str]:
        try:
            found: dict[Any, str] = super()._load_index()
        except (ImportError, AttributeError):
            return {}
        return found


bytecode.FunctionIdentity._unique_ids = count(randbits(48))
"""numba numbers functions from 1 in each process, and names machine code by these numbers.

Code that two processes kept under one name would therefore collide.
"""

_ONE_AT_A_TIME = Lock()


def compiled(kernel: Any, folder: Path | None, digest: Callable[[Any], str]) -> Any:
    """Return the dispatcher of a kernel, cached in the folder, if any."""
    function = _asked(kernel.plain) if kernel.asks else kernel.plain
    njit: Any = numba.njit
    settings: Any = numba.config
    inside = "no_cpython_wrapper" in kernel.options
    how = {"pipeline_class": KernelCompiler} if inside else {"cache": folder is not None}
    with _ONE_AT_A_TIME:
        before = settings.CACHE_LOCATOR_CLASSES
        settings.CACHE_LOCATOR_CLASSES = f"{__name__}.{ByDigest.__name__}"
        if how.get("cache"):
            ByDigest.wanted = (str(folder), digest(kernel))
        try:
            made = njit(error_model="numpy", no_cfunc_wrapper=True, **kernel.options, **how)(
                function
            )
        finally:
            settings.CACHE_LOCATOR_CLASSES = before
    if how.get("cache"):
        cache, files = made._cache, made._cache._impl
        stamp = files.locator.get_source_stamp()
        cache._cache_file = KeptCode(cache._cache_path, files.filename_base, stamp)
    return _without_literals(made)


def type_of(dispatcher: Any) -> Any:
    """Return the type that numba knows a dispatcher by."""
    types: Any = numba.types
    return types.Dispatcher(dispatcher)


def _without_literals(made: Any) -> Any:
    """Let compiled code call a kernel by types: numba would compile it for each literal."""
    inner, free = made.get_call_template, numba.types.unliteral

    def by_types(args: Any, kws: Any) -> Any:
        return inner(tuple(map(free, args)), {name: free(one) for name, one in kws.items()})

    made.get_call_template = by_types
    return made
