"""A launch as a folder: `launch.json` and the memory of its tensors as .npy files, without pickle.

Memory is kept as it lies: one array of bytes per storage, and tensors as views of it. So aliases,
strides and what lies round a view are the same at every replay. A zip of the folder will do too.
The kernel itself is named by its file and name; its source stays where it is. Its TTIR goes along,
and is all that there is of a kernel without a file.
"""

from __future__ import annotations

import hashlib
import json
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np
import torch

from .formats import TYPES, name_of, of_triton

VERSION = 1
TEXT = "kernel.ttir"
"""The file with the kernel's text, if the recording has one."""
_LARGEST = 8 << 30
"""Bytes that a recording may unpack to."""


class RecordingError(ValueError):
    """A launch that cannot be recorded, or a recording that cannot be read."""


@dataclass(frozen=True)
class View:
    """A tensor: part of a storage."""

    storage: int
    dtype: str
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    offset: int

    def of(self, storages: list[torch.Tensor]) -> torch.Tensor:
        """The tensor, in the memory of `storages`, which are bytes or already of its type."""
        memory = storages[self.storage]
        dtype = TYPES[self.dtype] if memory.dtype == torch.uint8 else memory.dtype
        typed = memory if memory.dtype == dtype else _typed(memory, dtype)
        return typed.as_strided(self.shape, self.strides, self.offset)


@dataclass(frozen=True)
class Descriptor:
    """A `TensorDescriptor`."""

    base: View
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    block_shape: tuple[int, ...]
    padding: str


@dataclass(frozen=True)
class Reinterpreted:
    """A tensor whose elements a kernel takes for another type (`triton.reinterpret`)."""

    base: View
    dtype: str
    """In Triton's words."""


@dataclass(frozen=True)
class Dtype:
    """A type of Triton as an argument, in its own words."""

    name: str


@dataclass(frozen=True)
class Function:
    """Another jitted function as an argument: its file and name."""

    file: str
    name: str


@dataclass(frozen=True)
class Constant:
    """A `tl.constexpr` as an argument, or as a member of one."""

    value: Any


@dataclass(frozen=True)
class Stated:
    """What the case says of a tensor after the launch: its value, and how far off it may be."""

    argument: str
    value: torch.Tensor
    bound: torch.Tensor


@dataclass
class Recording:
    """One launch."""

    file: str
    kernel: str
    grid: tuple[int, ...]
    arguments: dict[str, Any]
    options: dict[str, Any] = field(default_factory=dict)
    signature: dict[str, Any] | None = None
    """Types of the arguments, where they are not those that Triton reads off the values."""
    label: str = ""
    ttir: str = ""
    """The kernel's text, from its source as it was on the CPU; empty if that is not known."""
    types: dict[str, Any] | None = None
    """What that text was compiled for: Triton's word for the type of each argument."""
    sweep: int = 0
    """Launches of one sweep differ in their configurations alone."""
    configuration: str = ""
    storages: list[torch.Tensor] = field(default_factory=list)
    addresses: list[int] = field(default_factory=list)
    """Where each storage began when it was recorded; 0 if that is not known."""
    stated: list[Stated] = field(default_factory=list)

    def views(self) -> dict[str, View]:
        """All tensors among the arguments, by a name that says where: `x`, `t[1]`, `d.base`."""
        return dict(_views(self.arguments))

    def facts(self) -> dict[str, Any]:
        """All but memory and text, as JSON has it."""
        return {
            "version": VERSION,
            "file": self.file,
            "kernel": self.kernel,
            "source_sha256": _hash_of(self.file),
            "label": self.label,
            "sweep": self.sweep,
            "configuration": self.configuration,
            "grid": list(self.grid),
            "arguments": {name: _encode(value) for name, value in self.arguments.items()},
            "options": {name: _encode(value) for name, value in self.options.items()},
            "signature": _encode_types(self.signature),
            "types": _encode_types(self.types),
            "storages": len(self.storages),
            "addresses": self.addresses,
            "stated": [stated.argument for stated in self.stated],
        }

    def arrays(self) -> dict[str, torch.Tensor]:
        """Memory, and what is stated of it, by the names of files."""
        made = {f"storage-{n}.npy": storage for n, storage in enumerate(self.storages)}
        for number, stated in enumerate(self.stated):
            made |= {f"value-{number}.npy": stated.value, f"bound-{number}.npy": stated.bound}
        return made

    def save(self, folder: Path) -> None:
        """Writes the folder."""
        folder.mkdir(parents=True, exist_ok=True)
        for name, array in self.arrays().items():
            np.save(folder / name, array.numpy(), allow_pickle=False)
        if self.ttir:
            (folder / TEXT).write_text(self.ttir)
        (folder / "launch.json").write_text(json.dumps(self.facts(), indent=1))


def load(folder: Path) -> Recording:
    """Reads a folder."""
    try:
        facts = json.loads((folder / "launch.json").read_text())
    except (OSError, json.JSONDecodeError) as error:
        raise RecordingError(f"{folder} is no recording of a launch: {error}") from error
    arrays = {
        path.name: torch.from_numpy(np.load(path, allow_pickle=False))
        for path in folder.glob("*.npy")
    }
    text = (folder / TEXT).read_text() if (folder / TEXT).is_file() else ""
    return from_facts(facts, arrays, text, str(folder))


def from_facts(
    facts: dict[str, Any], arrays: dict[str, torch.Tensor] | None, ttir: str, where: str
) -> Recording:
    """The recording that `facts`, `arrays` and a text make; without arrays, one without memory."""
    if facts.get("version") != VERSION:
        raise RecordingError(
            f"{where} is a recording of version {facts.get('version')}, this is {VERSION}"
        )
    count = facts["storages"]
    return Recording(
        file=facts["file"],
        kernel=facts["kernel"],
        grid=tuple(facts["grid"]),
        arguments={name: _decode(value) for name, value in facts["arguments"].items()},
        options={name: _decode(value) for name, value in facts["options"].items()},
        signature=_decode_types(facts["signature"]),
        types=_decode_types(facts.get("types")),
        ttir=ttir,
        label=facts["label"],
        sweep=facts.get("sweep", 0),
        configuration=facts.get("configuration", ""),
        storages=[] if arrays is None else [arrays[f"storage-{i}.npy"] for i in range(count)],
        addresses=facts.get("addresses") or [0] * count,
        stated=[]
        if arrays is None
        else [
            Stated(name, arrays[f"value-{i}.npy"], arrays[f"bound-{i}.npy"])
            for i, name in enumerate(facts["stated"])
        ],
    )


def unpack(archive: Path, folder: Path) -> None:
    """Unpacks a zip that may come from anybody: plain names only, and not too much."""
    with zipfile.ZipFile(archive) as packed:
        members = [member for member in packed.infolist() if not member.is_dir()]
        if sum(member.file_size for member in members) > _LARGEST:
            raise RecordingError(f"{archive} unpacks to more than {_LARGEST >> 30} GiB")
        folder.mkdir(parents=True, exist_ok=True)
        for member in members:
            name = PurePosixPath(member.filename).name
            if PurePosixPath(name).suffix not in (".json", ".npy", ".ttir"):
                raise RecordingError(f"{archive} holds '{member.filename}', which is no recording")
            (folder / name).write_bytes(packed.read(member))


class Storages:
    """Collects the memory of tensors, each storage once."""

    def __init__(self) -> None:
        self.copies: list[torch.Tensor] = []
        self.addresses: list[int] = []
        self._numbers: dict[int, int] = {}

    def view(self, tensor: torch.Tensor) -> View:
        """Records a tensor as it is now."""
        storage = tensor.untyped_storage()
        number = self._numbers.get(storage.data_ptr())
        if number is None:
            number = len(self.copies)
            self._numbers[storage.data_ptr()] = number
            memory = torch.empty(0, dtype=torch.uint8, device=tensor.device).set_(storage)
            self.copies.append(memory.cpu().clone())
            self.addresses.append(storage.data_ptr())
        shape, strides = tuple(tensor.shape), tuple(tensor.stride())
        return View(number, name_of(tensor.dtype), shape, strides, tensor.storage_offset())


def encode_argument(name: str, value: Any, storages: Storages) -> Any:
    """An argument of a launch, as a recording holds it."""
    import triton.language as tl
    from triton.runtime.jit import JITFunction, TensorWrapper

    if isinstance(value, torch.Tensor):
        return storages.view(value)
    if isinstance(value, TensorWrapper):
        return Reinterpreted(storages.view(value.base), value.dtype.name)
    if isinstance(value, tl.dtype):
        return Dtype(value.name)
    if isinstance(value, tl.constexpr):
        return Constant(encode_argument(name, value.value, storages))
    if type(value) is tuple:
        return tuple(encode_argument(f"{name}[{i}]", v, storages) for i, v in enumerate(value))
    if isinstance(value, JITFunction):
        return Function(shown(value.fn.__code__.co_filename), value.fn.__name__)
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if hasattr(value, "block_shape") and isinstance(getattr(value, "base", None), torch.Tensor):
        lists = (tuple(value.shape), tuple(value.strides), tuple(value.block_shape))
        return Descriptor(storages.view(value.base), *lists, getattr(value, "padding", "zero"))
    raise RecordingError(
        f"argument '{name}' is a '{type(value).__name__}', which a recording cannot hold"
    )


def _views(value: Any, name: str = "") -> Iterator[tuple[str, View]]:
    if isinstance(value, View):
        yield name, value
    elif isinstance(value, Descriptor):
        yield f"{name}.base", value.base
    elif isinstance(value, Reinterpreted):
        yield f"{name}.base", replace(value.base, dtype=of_triton(value.dtype, value.base.dtype))
    elif isinstance(value, dict):
        for key, member in value.items():
            yield from _views(member, key)
    elif isinstance(value, tuple):
        for index, member in enumerate(value):
            yield from _views(member, f"{name}[{index}]")


def map_argument(value: Any, view: Callable[[View], Any], other: Callable[[Any], Any]) -> Any:
    """An argument as a kernel takes it, its tensors made by `view`, all else by `other`."""
    if isinstance(value, View):
        return view(value)
    if isinstance(value, Descriptor):
        from triton.tools.tensor_descriptor import TensorDescriptor

        lists = (list(value.shape), list(value.strides), list(value.block_shape))
        return TensorDescriptor(view(value.base), *lists, padding=value.padding)
    if isinstance(value, Reinterpreted):
        import triton

        return triton.reinterpret(view(value.base), triton.language.dtype(value.dtype))
    if isinstance(value, tuple):
        return tuple(map_argument(member, view, other) for member in value)
    if isinstance(value, Constant):
        import triton.language as tl

        return tl.constexpr(map_argument(value.value, view, other))
    return other(value)


def shown(file: str) -> str:
    """Relative to this folder if it lies below: recordings go to other machines."""
    path = Path(file).resolve()
    here = Path.cwd()
    return str(path.relative_to(here)) if path.is_relative_to(here) else str(path)


def _typed(memory: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
    size = dtype.itemsize
    if memory.numel() < size:
        return torch.empty(0, dtype=dtype, device=memory.device)
    return memory[: memory.numel() // size * size].view(dtype)


def _hash_of(file: str) -> str:
    path = Path(file)
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else ""


def _encode_types(types: dict[str, Any] | None) -> dict[str, Any] | None:
    return types and {name: _encode(kind) for name, kind in types.items()}


def _decode_types(types: dict[str, Any] | None) -> dict[str, Any] | None:
    return types and {name: _decode(kind) for name, kind in types.items()}


def _encode(value: Any) -> Any:
    if isinstance(value, View):
        return {"tensor": asdict(value)}
    if isinstance(value, Descriptor):
        return {"descriptor": asdict(value)}
    if isinstance(value, Reinterpreted):
        return {"reinterpreted": asdict(value)}
    if isinstance(value, Dtype):
        return {"dtype": value.name}
    if isinstance(value, Function):
        return {"function": asdict(value)}
    if isinstance(value, Constant):
        return {"constant": _encode(value.value)}
    if isinstance(value, (tuple, list)):
        return {"tuple": [_encode(member) for member in value]}
    if isinstance(value, float):
        return {"float": value.hex()}  # exact, also where it is no number
    if value is None or isinstance(value, (bool, int, str)):
        return {"value": value}
    raise RecordingError(f"a recording cannot hold a '{type(value).__name__}'")


def _decode(value: Any) -> Any:
    ((form, content),) = value.items()
    if form == "tensor":
        return _decode_view(content)
    if form == "descriptor":
        return Descriptor(
            _decode_view(content["base"]),
            tuple(content["shape"]),
            tuple(content["strides"]),
            tuple(content["block_shape"]),
            content["padding"],
        )
    if form == "reinterpreted":
        return Reinterpreted(_decode_view(content["base"]), content["dtype"])
    if form == "dtype":
        return Dtype(content)
    if form == "function":
        return Function(**content)
    if form == "constant":
        return Constant(_decode(content))
    if form == "tuple":
        return tuple(_decode(member) for member in content)
    if form == "float":
        return float.fromhex(content)
    return content


def _decode_view(content: dict[str, Any]) -> View:
    lists = (tuple(content["shape"]), tuple(content["strides"]))
    return View(content["storage"], content["dtype"], *lists, content["offset"])
