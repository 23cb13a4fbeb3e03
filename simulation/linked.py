"""Kernels become machine code with the entries that call them, once for each entry.

numba makes machine code of each function by itself, after it has linked into it all that it calls
and has optimised the whole, so that what stands at the end of a chain of calls is optimised again
at each link of it. Here kernels are only lowered; they are linked and optimised with the entry.

This rests on insides of numba, so versions that it was not tried with do as they always did.
"""

from typing import Any

import numba
from numba.core import codegen, compiler, compiler_machinery, typed_passes

TRIED = ("0.68",)
"""Versions of numba with which it was tried."""


class _Linked(codegen.JITCodeLibrary):  # type: ignore[misc]
    """Code that other code takes in; there is none of it by itself."""

    def finalize(self) -> None:
        """Take in what is called."""
        for library in dict.fromkeys(self._linking_libraries):
            self._reload_init.update(library._reload_init)
            self._final_module.link_in(library._get_module_for_linking(), preserve=True)
        self._finalized = True

    def get_pointer_to_function(self, _name: str) -> int:
        """Return that it is nowhere."""
        return 0

    @property
    def codegen(self) -> Any:
        """Itself, as what is told where the function's Python objects are: kernels have none."""
        return self

    def set_env(self, _name: str, _env: Any) -> None:
        """Leave them where they are."""


@compiler_machinery.register_pass(mutates_CFG=False, analysis_only=True)
class _Link(compiler_machinery.LoweringPass):  # type: ignore[misc]
    _name = "link_kernel"

    def __init__(self) -> None:
        compiler_machinery.LoweringPass.__init__(self)

    def run_pass(self, state: Any) -> bool:
        """Say where lowered code goes."""
        state.library = _Linked(state.targetctx.codegen(), state.func_id.func_qualname)
        return False


class KernelCompiler(compiler.CompilerBase):  # type: ignore[misc]
    """numba's passes, but for that."""

    def define_pipelines(self) -> list[Any]:
        """Return the passes."""
        passes = compiler.DefaultPassBuilder.define_nopython_pipeline(self.state)
        if numba.__version__.rpartition(".")[0] in TRIED:
            passes.add_pass_after(_Link, typed_passes.AnnotateTypes)
            passes.finalize()
        return [passes]
