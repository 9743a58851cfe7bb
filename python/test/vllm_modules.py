"""Modules of vLLM one by one, without the rest of it.

`import vllm` wants a hundred packages and a compiled extension. The files that hold Triton kernels
need little of that: a name here, a decorator there, at the time of import. So a file that has a
kernel, or that `REAL` names, is imported as it is; every other module below `vllm`, and packages
that are not installed, are stand-ins that answer every name with one more stand-in.

The files are those of the wheel that `python vllm_modules.py` fetches from the package index, once;
`make test` does so. Nothing of it is installed, and its compiled extension is left in the wheel.
"""

from __future__ import annotations

import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import logging
import re
import subprocess
import sys
import tempfile
import types
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

VERSION = "0.33.0"
FOLDER = Path(__file__).parents[2] / ".venv" / f"vllm-{VERSION}"

REAL = re.compile(
    r"vllm\.(envs|scalar_type|version|utils\.(math_utils|torch_utils|torch_version|platform_utils"
    r"|gpu_sync_debug|collection_utils|func_utils|import_utils)"
    r"|triton_utils\.(allocation|tensor_descriptor)"
    r"|model_executor\.warmup\.jit_warmup\w*"
    r"|model_executor\.layers\.fused_moe\.activation"
    r"|model_executor\.layers\.quantization\.utils\.\w+"
    r"|model_executor\.layers\.mamba\.ops\.\w+"
    r"|lora\.ops\.triton_ops(\.\w+)?"
    r"|third_party\.flash_linear_attention(\.\w+)*"
    r"|v1\.attention\.ops\.\w+|v1\.sample\.(ops\.\w+|metadata)|v1\.watermarking\.prfs\.\w+"
    r"|v1\.worker\.gpu\.(buffer_utils|states)|v1\.kv_cache_interface)"
)
KERNEL = re.compile(r"^\s*@triton\.jit", re.MULTILINE)
NOT_INSTALLED = {
    "aiter", "apache_tvm_ffi", "cachetools", "cloudpickle", "compressed_tensors", "cuda", "cutlass",
    "deep_ep", "deep_gemm", "einops", "flash_attn", "flashinfer", "flydsl", "huggingface_hub",
    "msgspec", "prometheus_client", "psutil", "pydantic", "quack", "ray", "regex", "sgl_kernel",
    "tilelang", "torchvision", "transformers", "triton_kernels", "tvm_ffi", "vllm_xpu_kernels",
    "xgrammar", "zmq",
}  # fmt: skip


def is_real(name: str, file: Path) -> bool:
    """Whether a module is imported as it is: it is named, or has a kernel and is no package."""
    has_kernel = file.name != "__init__.py" and KERNEL.search(file.read_text())
    return bool(REAL.fullmatch(name) or has_kernel)


class StandInType(type):
    """A stand-in is a class, so that it can be a base, a decorator, an annotation or a value."""

    def __getattr__(cls, name: str) -> Any:
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(name)
        return stand_in(f"{cls.__name__}.{name}")

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        if not cls._stands_in():
            return super().__call__(*args, **kwargs)
        # As a decorator, it leaves what it decorates.
        if len(args) == 1 and not kwargs and isinstance(args[0], types.FunctionType | type):
            return args[0]
        return stand_in(f"{cls.__name__}()")

    def _stands_in(cls) -> bool:
        return bool(cls.__dict__.get("stands_in"))

    def __getitem__(cls, key: Any) -> Any:
        return cls

    def __or__(cls, other: Any) -> Any:
        return cls

    __ror__ = __or__

    def __iter__(cls) -> Iterator[Any]:
        return iter(())

    def __bool__(cls) -> bool:
        return not cls._stands_in()

    def __instancecheck__(cls, instance: Any) -> bool:
        return not cls._stands_in() and super().__instancecheck__(instance)


def stand_in(name: str) -> Any:
    """Something that answers everything with its like, and is false."""
    return StandInType(name, (), {"stands_in": True})


class StandInModule(types.ModuleType):
    """A module every name of which is a stand-in."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(name)
        value = stand_in(f"{self.__name__}.{name}")
        setattr(self, name, value)
        return value


class Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds `vllm` in a folder, and makes up what is not wanted of it or not there."""

    def __init__(self, root: Path, given: dict[str, types.ModuleType]):
        self.root = root
        self.given = given

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: Any = None
    ) -> importlib.machinery.ModuleSpec | None:
        top = fullname.partition(".")[0]
        made_up = importlib.machinery.ModuleSpec(fullname, self, is_package=True)
        if top != "vllm":
            return made_up if isinstance(sys.modules.get(top), StandInModule) else None
        if fullname in self.given:
            return made_up
        file = self.root.joinpath(*fullname.split("."))
        if file.is_dir():
            package = file / "__init__.py"
            if package.exists() and is_real(fullname, package):
                return importlib.util.spec_from_file_location(fullname, package)
            made_up.submodule_search_locations = [str(file)]
            return made_up
        source = file.with_suffix(".py")
        if source.exists() and is_real(fullname, source):
            return importlib.util.spec_from_file_location(fullname, source)
        return made_up

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> types.ModuleType:
        return self.given.get(spec.name) or StandInModule(spec.name)

    def exec_module(self, module: types.ModuleType) -> None:
        """A stand-in has nothing to run."""


class LastFinder(Finder):
    """Makes up packages that no other finder knows."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: Any = None
    ) -> importlib.machinery.ModuleSpec | None:
        if fullname not in NOT_INSTALLED:
            return None
        return importlib.machinery.ModuleSpec(fullname, self, is_package=True)


class Platform:
    """What vLLM asks about the machine: it is none of those for which it has other code."""

    device_type = "cpu"
    device_name = "cpu"
    dispatch_key = "CPU"

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        if name.startswith(("is_", "has_", "supports_", "support_", "use_")):
            return lambda *args, **kwargs: False
        return stand_in(f"current_platform.{name}")

    def fp8_dtype(self) -> Any:
        import torch

        return torch.float8_e4m3fn

    def get_device_capability(self, *args: Any) -> None:
        return None

    def get_device_name(self, *args: Any) -> str:
        return "cpu"

    def num_compute_units(self, *args: Any) -> int:
        return 2


class Logger(logging.Logger):
    """vLLM's loggers, silent, with the methods that it adds."""

    def say_once(self, *args: Any, **kwargs: Any) -> None:
        """Says nothing."""

    info_once = warning_once = debug_once = say_once


def triton_utils(root: Path) -> StandInModule:
    """vLLM's own names for parts of Triton; its module asks for an installed vLLM first."""
    import triton
    import triton.language as tl
    from triton.language.core import _aggregate
    from triton.language.extra import libdevice

    module = StandInModule("vllm.triton_utils")
    module.__path__ = [str(root / "vllm" / "triton_utils")]
    module.__dict__.update(
        triton=triton, tl=tl, tldevice=libdevice, HAS_TRITON=True, aggregate=_aggregate,
        LOG2E=1.4426950408889634, LOGE2=0.6931471805599453,
        use_tensor_descriptor=lambda override=None: bool(override),
    )  # fmt: skip
    return module


def find_folder() -> Path:
    """The folder that has `vllm`: ours, or one on the path, which came with a pack."""
    found = (Path(entry) for entry in sys.path if Path(entry, "vllm", "v1").is_dir())
    return FOLDER if FOLDER.exists() else next(found, FOLDER)


def real_files() -> Iterator[Path]:
    """The files that are imported as they are."""
    for file in sorted(FOLDER.rglob("vllm/**/*.py")):
        parts = file.relative_to(FOLDER).with_suffix("").parts
        if is_real(".".join(parts).removesuffix(".__init__"), file):
            yield file


def install(platform: Platform | None = None) -> None:
    """From now on, `vllm` is the one in the folder, on a machine as `platform` says."""
    if any(isinstance(finder, Finder) for finder in sys.meta_path):
        return
    folder = find_folder()
    platforms, logger = StandInModule("vllm.platforms"), StandInModule("vllm.logger")
    platforms.__dict__.update(current_platform=platform or Platform(), __path__=[])
    logger.__dict__.update(init_logger=Logger)
    cache = StandInModule("vllm.config.cache")
    cache.__dict__.update(get_kv_cache_dtype_handler=lambda name: None)
    given = {
        "vllm.config.cache": cache,
        "vllm.platforms": platforms,
        "vllm.logger": logger,
        "vllm.triton_utils": triton_utils(folder),
    }
    sys.meta_path.insert(0, Finder(folder, given))
    sys.meta_path.append(LastFinder(folder, {}))


def first_configurations() -> None:
    """What vLLM's VLLM_TRITON_FORCE_FIRST_CONFIG does: kernels that are tuned are not."""
    from triton.runtime.autotuner import Autotuner

    for name, module in list(sys.modules.items()):
        if name.startswith("vllm."):
            for value in vars(module).values():
                while value is not None and not isinstance(value, StandInType):
                    if isinstance(value, Autotuner):
                        del value.configs[1:]
                    value = getattr(value, "__dict__", {}).get("fn")


def load(name: str) -> Any:
    """The module of that name."""
    install()
    module = importlib.import_module(name)
    first_configurations()
    return module


def fetch() -> None:
    """Puts the Python files of the pinned release into `FOLDER`, from the package index."""
    if FOLDER.exists():
        return
    print(f"fetching the Python files of vLLM {VERSION}, for tests of their kernels", flush=True)
    with tempfile.TemporaryDirectory() as temporary:
        pip = (sys.executable, "-m", "pip", "--disable-pip-version-check", "download", "-q")
        wanted = ("--no-deps", "--only-binary", ":all:", "--dest", temporary, f"vllm=={VERSION}")
        subprocess.run([*pip, *wanted], check=True)
        (wheel,) = Path(temporary).glob("*.whl")
        with zipfile.ZipFile(wheel) as archive:
            names = [name for name in archive.namelist() if name.endswith((".py", ".json"))]
            # What is half there would be taken for all of it.
            half = Path(tempfile.mkdtemp(dir=FOLDER.parent))
            archive.extractall(half, names)
        half.chmod(0o755)
        half.rename(FOLDER)


if __name__ == "__main__":
    fetch()
