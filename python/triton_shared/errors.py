"""What can go wrong, in the words a kernel author needs: which step, why, and what to do next.

Triton copies and pickles exceptions, so each class rebuilds from `args` alone.
"""

from __future__ import annotations

from typing import Any

from .source_lines import with_source_lines


class TritonSharedError(RuntimeError):
    """The root of all errors of this package."""


class LibraryError(TritonSharedError):
    """The native library is missing or does not load."""


class CompilationError(TritonSharedError):
    """A kernel did not compile."""

    def __init__(self, kernel: str, phase: str, diagnostics: str, repeat: str | None = None):
        super().__init__(kernel, phase, diagnostics, repeat)
        self.kernel = kernel
        """Empty for a text that belongs to no kernel."""
        self.phase = phase
        """The phase that could not be made: ttir, structured, linalg, memref, llir or obj."""
        self.diagnostics = diagnostics
        """The compiler's own words, with locations in the kernel's source."""
        self.repeat = repeat
        """The command that repeats the failure, if its input was kept."""

    def __str__(self) -> str:
        next_step = (
            f"repeat with: {self.repeat}"
            if self.repeat
            else "set TRITON_SHARED_DUMP=<folder> to keep the input of the failing phase"
        )
        what = f"kernel '{self.kernel}'" if self.kernel else "the text"
        return (
            f"{what} did not compile: phase '{self.phase}' failed\n"
            f"{with_source_lines(self.diagnostics)}\n{next_step}"
        )


class CompilerCrashError(TritonSharedError):
    """The compiler crashed, in a process of its own: this one is as it was."""

    def __init__(self, kernel: str, death: str, reproducer: str, repeat: str):
        super().__init__(kernel, death, reproducer, repeat)
        self.kernel = kernel
        """Empty for a text that belongs to no kernel."""
        self.death = death
        """The name of the signal, for example SIGSEGV."""
        self.reproducer = reproducer
        """The file that holds what was compiled."""
        self.repeat = repeat
        """The command that repeats the crash."""

    def __str__(self) -> str:
        of_kernel = f" on kernel '{self.kernel}'" if self.kernel else ""
        return (
            f"the compiler crashed{of_kernel} ({self.death})\n"
            f"what it was given is kept in {self.reproducer}; please report it with that file\n"
            f"repeat with: {self.repeat}"
        )


class DamagedObjectError(TritonSharedError):
    """A compiled kernel, usually one from the cache, is not what the compiler wrote."""


class CacheError(TritonSharedError):
    """A compiled kernel can be kept nowhere, not even for this process."""


class CacheWarning(UserWarning):
    """The cache of compiled kernels is not used as it could be; results are not affected."""


class DeviceAssertError(TritonSharedError):
    """A `tl.device_assert` of a running kernel failed."""


class CudaError(TritonSharedError):
    """No GPU, no driver, no ptxas, or the driver refuses a kernel or a launch."""


class VerificationError(TritonSharedError):
    """A kernel is wrong, or cannot be shown to be right."""

    wrong: Any = None
    """The worst element of a wrong result (`verification.guilty_line.Wrong`)."""
    given: tuple[Any, ...] = ()
    """The inputs that lead to it."""
    blame: Any = None
    """The line that is to blame (`verification.guilty_line.GuiltyLine`), if that is known."""


class PtxasWarning(UserWarning):
    """A kernel is assembled by a ptxas that is known to make wrong code of its kind."""


class VerificationWarning(UserWarning):
    """A configuration of an autotuned kernel is wrong, and is not used."""
