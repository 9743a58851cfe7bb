"""LLVM IR for an NVIDIA GPU becomes LLVM IR for this machine, line by line.

Address spaces go away, intrinsics of NVVM become calls of shim.c and its neighbours, inline
assembly becomes branches around loads and stores, or such calls, and functions of libdevice those
of libm. What is not known here raises `UnknownInstruction`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from . import assembly


class UnknownInstruction(Exception):
    """The emulator has no meaning for a part of the kernel."""


@dataclass(frozen=True)
class Kernel:
    """A kernel for this machine."""

    name: str
    parameters: tuple[str, ...]
    """LLVM types, in order."""
    ir: str
    libdevice_c: str
    """C definitions of the functions of libdevice that it calls."""


TENSOR_MAP = "[128 x i8]"
"""The type of a parameter that is passed by its address."""

_ACCESS = re.compile(
    r"^  (?P<result>%\S+ = load|store) (?P<kind>volatile |atomic )?(?P<what>.*?), "
    r"ptr addrspace\((?P<space>[13])\) (?P<pointer>.*?)"
    r"(?P<order>(?: syncscope\(\"\w+\"\))? monotonic)?, "
    r"align (?P<align>\d+)$"
)
_ASM = re.compile(
    r'call (?P<type>void|\w+|<[^>]*>|\{.*?\}) asm (?:sideeffect )?"(?P<text>(?:[^"\\]|\\.)*)", '
    r'"(?P<constraints>[^"]*)"\((?P<arguments>.*)\)(?: #\d+)?$'
)
_MOVE = re.compile(
    r"@\$(?P<predicate>\d+) (?P<kind>ld|st)(?:\.volatile)?\.global(?:\.v(?P<count>\d))?"
    r"\.b(?P<bits>\d+)"
)


_ARITHMETIC = re.compile(
    r"^  (?P<result>%\S+) = (?P<what>(?:fadd|fsub|fmul|fdiv|call)(?: [a-z]+)* "
    r"(?P<type>(?:<\d+ x )?(?P<element>half|bfloat|float|double)>?) (?:%|@llvm\.fma\.|[-\d]).*)$"
)
_NAN = {
    "half": "0xH7FFF",
    "bfloat": "0xR7FFF",
    "float": "0x7FFFFFFFE0000000",
    "double": "0x7FF8000000000000",
}


def _size(kind: str) -> str:
    return f"ptrtoint (ptr getelementptr ({kind}, ptr null, i32 1) to i64)"


def _split_types(arguments: str) -> list[str]:
    """The types of a comma-separated list of typed values."""
    return [
        re.sub(r"^(<[^>]*>|\{[^}]*\}|\S+).*", r"\1", part) for part in assembly.split(arguments)
    ]


_SHARED_ADDRESS = re.compile(
    r"ptrtoint \((ptr (?:@cta_shared|getelementptr [\w ]*\([^()]*@cta_shared[^()]*\))) to (i\d+)\)"
)
_TO_ADDRESS = re.compile(
    r"  (?P<result>%\S+) = ptrtoint ptr addrspace\(3\) (?P<of>.*) to (?P<type>i\d+)$"
)


def _plain(line: str) -> str:
    """Without address spaces, NVVM names and attribute groups."""
    line = re.sub(r" addrspace\(\d+\)", "", line)
    line = re.sub(r"addrspacecast \(ptr (@\S+) to ptr\)", r"\1", line)
    # Addresses of shared memory are small: they count from its begin.
    line = _SHARED_ADDRESS.sub(
        r"sub (\2 ptrtoint (\1 to \2), \2 ptrtoint (ptr @cta_shared to \2))", line
    )
    line = line.replace("addrspacecast ptr", "bitcast ptr").replace("ptx_kernel ", "")
    line = re.sub(r"@llvm\.nvvm\.([\w.]+)", lambda m: "@emu_" + m[1].replace(".", "_"), line)
    if line.startswith("declare "):
        attributes = r" ?\b(noundef|immarg|readonly|writeonly|range\([^)]*\)|captures\([^)]*\))"
        line = re.sub(attributes, "", line)
    if line.startswith(("declare ", "define ")):
        line = re.sub(r" #\d+(?= \{|$)", "", line)
    return line


@dataclass
class _Rewriter:
    body: list[str] = field(default_factory=list)
    helpers: dict[str, str] = field(default_factory=dict)
    """Functions in place of inline assembly, by their text and types."""
    slots: list[str] = field(default_factory=list)

    def _watch(self, kind: str, pointer: str, align: str, space: str, written: str) -> None:
        self.body.append(
            f"  call void @emu_access(ptr {pointer}, i64 {_size(kind)}, i64 {align}, "
            f"i32 {space}, ptr {written})"
        )

    def access(self, match: re.Match[str]) -> None:
        """A load or store that always happens: announced to `emu_access`."""
        what, pointer = _plain(match["what"]), _plain(match["pointer"])
        if match["result"] != "store":
            self._watch(what, pointer, match["align"], match["space"], "null")
        else:
            kind = re.match(r"<[^>]*>|\{[^}]*\}|\S+", what)
            assert kind
            slot = f"%emu.slot.{len(self.slots)}"
            self.slots.append(f"  {slot} = alloca {kind[0]}, align 16")
            self.body.append(f"  store {what}, ptr {slot}, align 16")
            self._watch(kind[0], pointer, match["align"], match["space"], slot)
        target = f"ptr {pointer}{match['order'] or ''}, align {match['align']}"
        self.body.append(f"  {match['result']} {match['kind'] or ''}{what}, {target}")

    def arithmetic(self, match: re.Match[str]) -> None:
        """Sums and products: there is one NaN. This machine would pass on that of an operand."""
        result, kind = match["result"], match["type"]
        nan = f"{match['element']} {_NAN[match['element']]}"
        raw, is_nan = f"%raw.{result[1:]}", f"%nan.{result[1:]}"
        test = "i1" if kind == match["element"] else kind.replace(match["element"], "i1")
        value = nan if test == "i1" else f"{kind} splat ({nan})"
        self.body += [
            f"  {raw} = {_plain(match['what'])}",
            f"  {is_nan} = fcmp uno {kind} {raw}, {raw}",
            f"  {result} = select {test} {is_nan}, {value}, {kind} {raw}",
        ]

    def assembly(self, line: str, match: re.Match[str]) -> None:
        """Inline assembly: a call of a function that does the same."""
        arguments = _plain(match["arguments"])
        types = _split_types(arguments)
        key = f"{match['text']}|{match['constraints']}|{match['type']}|{' '.join(types)}"
        name = f"@emu.asm.{len(self.helpers)}"
        if key in self.helpers:
            name = re.findall(r"@emu\.asm\.\d+", self.helpers[key])[0]
        else:
            given = (match["type"], match["text"], match["constraints"], types)
            self.helpers[key] = assembly.make(name, *given) or _make_move(name, match, types)
        start = _plain(line[: match.start()])
        self.body.append(f"{start}call {match['type']} {name}({arguments})")

    def address(self, match: re.Match[str]) -> None:
        """An address of shared memory as a number, which counts from its begin."""
        raw, kind = f"%raw.{match['result'][1:]}", match["type"]
        base = f"ptrtoint (ptr @cta_shared to {kind})"
        self.body += [
            f"  {raw} = ptrtoint ptr {_plain(match['of'])} to {kind}",
            f"  {match['result']} = sub {kind} {raw}, {base}",
        ]

    def matrix_load(self, match: re.Match[str]) -> None:
        """`ldmatrix`: a call of a function that does the same."""
        count, is_transposed = int(match["count"]), match["trans"] is not None
        self.helpers[f"ldmatrix {count} {is_transposed}"] = _make_matrix_load(count, is_transposed)
        self.body.append(
            f"  {match['result']} = call {match['type']} "
            f"@emu.ldmatrix.{count}.{int(is_transposed)}(ptr {_plain(match['pointer'])})"
        )

    def product(self, match: re.Match[str]) -> None:
        """`mma.sync`: a call of a function that does the same."""
        name = f"@emu.mma.{match['m']}.{match['k']}.{match['kind']}"
        types = re.findall(r"(<2 x half>|\w+) [^,]+", match["arguments"])
        self.helpers[name] = _make_product(name, match, types)
        self.body.append(f"  {match['result']} = call {match['type']} {name}({match['arguments']})")


_UPDATES = {"and": "and", "or": "or", "xor": "xor", "exch": "xchg", "add": "add"}
_UPDATES |= {"inc": "uinc_wrap", "dec": "udec_wrap"}
_UPDATES |= {"min.s": "min", "max.s": "max", "min.u": "umin", "max.u": "umax", "add.f": "fadd"}


def _make_update(name: str, match: re.Match[str], types: list[str]) -> str:
    """`atom…` for the whole system and `red…`, as Atomics.cpp writes them."""
    update = re.match(
        r"(?:atom|red)\.relaxed\.\w+\.global\.(\w+)(?:\.noftz)?\.([a-z]+)\d+ ", match["text"]
    )
    kind = f"{update[1]}.{update[2]}" if update else ""
    operation = _UPDATES.get(kind, _UPDATES.get(kind.split(".")[0]))
    if not operation or len(types) != 2:
        raise UnknownInstruction(match["text"])
    word = types[1]
    bits, result = "%a1", "%old"
    lines = [f"define internal {match['type']} {name}(ptr %a0, {word} %a1) {{"]
    size = int(word[1:]) // 8
    lines.append(f"  call void @emu_access(ptr %a0, i64 {size}, i64 {size}, i32 1, ptr %a0)")
    if operation == "fadd":
        floating = {"i16": "half", "i32": "float", "i64": "double"}[word]
        lines.append(f"  %f = bitcast {word} %a1 to {floating}")
        word, bits = floating, "%f"
    lines.append(f"  %old = atomicrmw {operation} ptr %a0, {word} {bits} monotonic")
    if operation == "fadd":
        lines.append(f"  %bits = bitcast {word} %old to {types[1]}")
        result = "%bits"
    answer = "void" if match["type"] == "void" else f"{types[1]} {result}"
    return "\n".join([*lines, f"  ret {answer}", "}"])


_VECTOR_UPDATE = re.compile(
    r"(?:@\$\d+ )?red\.relaxed\.\w+\.global\.add(?:\.noftz)?(?:\.v\d)?\.(f32|f16x2|bf16x2) "
)
_ELEMENTS = {"f32": "float", "f16x2": "half", "bf16x2": "bfloat"}


def _make_vector_update(name: str, update: re.Match[str], types: list[str]) -> str:
    """`red….v4.f32` and its like, as VectorUpdates.cpp writes them: element by element."""
    element = _ELEMENTS[update[1]]
    parameters = ", ".join(f"{kind} %a{i}" for i, kind in enumerate(types))
    lines = [f"define internal void {name}({parameters}) {{"]
    words = types[1:]
    if words[-1] == "i1":
        words = words[:-1]
        lines += [f"  br i1 %a{len(words) + 1}, label %yes, label %no", "yes:"]
    size = 4 * len(words)
    lines.append(f"  call void @emu_access(ptr %a0, i64 {size}, i64 {size}, i32 1, ptr %a0)")
    count = 1 if element == "float" else 2
    for i, word in enumerate(words):
        lines.append(f"  %v{i} = bitcast {word} %a{i + 1} to <{count} x {element}>")
        for j in range(count):
            at = f"{i}.{j}"
            lines += [
                f"  %e{at} = extractelement <{count} x {element}> %v{i}, i32 {j}",
                f"  %p{at} = getelementptr {element}, ptr %a0, i32 {i * count + j}",
                f"  %o{at} = atomicrmw fadd ptr %p{at}, {element} %e{at} monotonic",
            ]
    if len(words) + 1 < len(types):
        lines += ["  br label %no", "no:"]
    return "\n".join([*lines, "  ret void", "}"])


_MMA = re.compile(
    r"^  (?P<result>%\S+) = call (?P<type>\{.*?\}) @llvm\.nvvm\.mma\.m(?P<m>\d+)n8k(?P<k>\d+)"
    r"\.row\.col\.(?P<kind>\w+)(?:\.f32)?\((?P<arguments>.*)\)(?: #\d+)?$"
)
_MMA_KINDS = {"f64": "d", "s8": "s", "f32": "h", "bf16": "b", "tf32": "t"}
"""By what the name of the intrinsic ends with; that of f16 names only its sums."""


def _make_product(name: str, match: re.Match[str], types: list[str]) -> str:
    """`mma.sync` of fragments: a call of `emu_mma`."""
    m, k = int(match["m"]), int(match["k"])
    sums = m // 4
    right = (len(types) - sums) // 3
    # The left operand has twice as many rows as the right one has columns, or as many.
    counts = {"a": len(types) - sums - (right if m == 16 else 1), "b": right if m == 16 else 1}
    parameters = ", ".join(f"{kind} %x{i}" for i, kind in enumerate(types))
    lines = [f"define internal {match['type']} {name}({parameters}) {{"]
    next_operand = 0
    for array, count in {**counts, "c": sums}.items():
        kind = types[next_operand]
        lines.append(f"  %{array} = alloca [{count} x {kind}], align 16")
        for i in range(count):
            lines += [
                f"  %{array}{i} = getelementptr {kind}, ptr %{array}, i32 {i}",
                f"  store {kind} %x{next_operand}, ptr %{array}{i}",
            ]
            next_operand += 1
    lines.append(
        f"  call void @emu_mma(i32 {ord(_MMA_KINDS[match['kind']])}, i32 {m}, i32 {k}, "
        "ptr %a, ptr %b, ptr %c)"
    )
    before = "poison"
    for i in range(sums):
        lines += [
            f"  %r{i} = load {types[-1]}, ptr %c{i}",
            f"  %s{i} = insertvalue {match['type']} {before}, {types[-1]} %r{i}, {i}",
        ]
        before = f"%s{i}"
    return "\n".join([*lines, f"  ret {match['type']} {before}", "}"])


_COPY = re.compile(
    r"@\$0 cp\.async\.c[ag]\.shared\.global \[\$1(?: \+ (-?\d+))?\], \[\$2(?: \+ (-?\d+))?\], "
    r"(\d+)(, \$3)?;$"
)


def _make_copy(name: str, match: re.Match[str], types: list[str]) -> str:
    """`@$p cp.async…`, as Copies.cpp writes it: a call of `emu_copy`."""
    copy = _COPY.match(match["text"])
    if not copy or types[:3] != ["i1", "i32", "ptr"]:
        raise UnknownInstruction(match["text"])
    parameters = ", ".join(f"{kind} %a{i}" for i, kind in enumerate(types))
    target, source, size = copy[1] or 0, copy[2] or 0, copy[3]
    valid = "%a3" if copy[4] else size
    return (
        f"define internal void {name}({parameters}) {{\n"
        "  %p = zext i1 %a0 to i32\n"
        f"  %target = add i32 %a1, {target}\n"
        f"  %source = getelementptr i8, ptr %a2, i64 {source}\n"
        f"  call void @emu_copy(i32 %p, i32 %target, ptr %source, i32 {size}, i32 {valid})\n"
        "  ret void\n}"
    )


_MATRIX = re.compile(
    r"^  (?P<result>%\S+) = call (?P<type>.*?) @llvm\.nvvm\.ldmatrix\.sync\.aligned\.m8n8"
    r"\.x(?P<count>\d)(?P<trans>\.trans)?\.b16\.p3\(ptr addrspace\(3\) (?P<pointer>.*)\)(?: #\d+)?$"
)


def _make_matrix_load(count: int, is_transposed: bool) -> str:
    """A function of a row that gives a word of each matrix, by `emu_ldmatrix`."""
    words = "i32" if count == 1 else f"{{ {', '.join(['i32'] * count)} }}"
    lines = [
        f"define internal {words} @emu.ldmatrix.{count}.{int(is_transposed)}(ptr %row) {{",
        f"  %w = alloca {words}, align 16",
        f"  call void @emu_ldmatrix(ptr %row, i32 {count}, i32 {int(is_transposed)}, ptr %w)",
        f"  %r = load {words}, ptr %w",
        f"  ret {words} %r",
        "}",
    ]
    return "\n".join(lines)


_MACHINE = (
    "smid", "nsmid", "clock", "clock_hi", "clock64", "globaltimer", "globaltimer_lo",
    "globaltimer_hi", "tid.x", "ntid.x", "laneid", "warpid", "nwarpid", "lanemask_eq",
    "lanemask_le", "lanemask_lt", "lanemask_ge", "lanemask_gt",
)  # fmt: skip
"""The special registers, in the order of `emu_machine`."""


_READ = re.compile(r"mov\.u(32|64) \$0, %([\w.]+);")


def _make_read(name: str, read: re.Match[str]) -> str:
    """`mov.u32 $0, %smid;`, as MachineRegisters.cpp writes it."""
    if read[2] not in _MACHINE:
        raise UnknownInstruction(read[0])
    word = f"i{read[1]}"
    lines = [
        f"define internal {word} {name}() {{",
        f"  %v = call i64 @emu_machine(i32 {_MACHINE.index(read[2])})",
        f"  %r = {'trunc' if word == 'i32' else 'bitcast'} i64 %v to {word}",
        f"  ret {word} %r",
        "}",
    ]
    return "\n".join(lines)


def _make_move(name: str, match: re.Match[str], types: list[str]) -> str:
    """`@$p ld.global…` or `@$p st.global…` of words, as GlobalMemory.cpp writes them."""
    if " cp.async." in match["text"]:
        return _make_copy(name, match, types)
    if update := _VECTOR_UPDATE.match(match["text"]):
        return _make_vector_update(name, update, types)
    if match["text"].startswith(("atom.", "red.")):
        return _make_update(name, match, types)
    if read := _READ.fullmatch(match["text"]):
        return _make_read(name, read)
    if match["text"] == "mov.b32 $0, $1;":  # As WarpgroupDot.cpp writes it.
        return f"define internal i32 {name}(i32 %a0) {{\n  ret i32 %a0\n}}"
    move = _MOVE.search(match["text"])
    if not move or types[:2] != ["ptr", "i1"]:
        raise UnknownInstruction(match["text"])
    count, bits = int(move["count"] or 1), int(move["bits"])
    held, word = types[2], f"i{bits}"
    parameters = ", ".join(f"{kind} %a{i}" for i, kind in enumerate(types))
    lines = [f"define internal {match['type']} {name}({parameters}) {{"]
    if move["kind"] == "st":
        lines.append(f"  %w = alloca [{count} x {word}], align 16")
    lines += ["  br i1 %a1, label %yes, label %no", "yes:"]
    size, cast = count * bits // 8, "bitcast" if held == word else "trunc"
    for i in range(count):
        lines.append(f"  %p{i} = getelementptr {word}, ptr %a0, i32 {i}")
    if move["kind"] == "st":
        for i in range(count):
            lines += [
                f"  %v{i} = {cast} {held} %a{i + 2} to {word}",
                f"  %w{i} = getelementptr {word}, ptr %w, i32 {i}",
                f"  store {word} %v{i}, ptr %w{i}",
            ]
        lines.append(f"  call void @emu_access(ptr %a0, i64 {size}, i64 {size}, i32 1, ptr %w)")
        lines += [f"  store {word} %v{i}, ptr %p{i}, align 1" for i in range(count)]
        lines += ["  br label %no", "no:", "  ret void", "}"]
        return "\n".join(lines)
    lines.append(f"  call void @emu_access(ptr %a0, i64 {size}, i64 {size}, i32 1, ptr null)")
    for i in range(count):
        lines.append(f"  %l{i} = load {word}, ptr %p{i}, align 1")
        extend = "bitcast" if held == word else "zext"
        lines.append(f"  %v{i} = {extend} {word} %l{i} to {held}")
    lines += ["  br label %no", "no:"]
    for i in range(count):
        lines.append(f"  %r{i} = phi {held} [ %v{i}, %yes ], [ %a{i + 2}, %0 ]")
    if count == 1:
        return "\n".join([*lines, f"  ret {held} %r0", "}"])
    for i in range(count):
        before = "poison" if i == 0 else f"%s{i - 1}"
        lines.append(f"  %s{i} = insertvalue {match['type']} {before}, {held} %r{i}, {i}")
    return "\n".join([*lines, f"  ret {match['type']} %s{count - 1}", "}"])


_C_TYPES = {"float": "float", "double": "double", "i32": "int32_t", "i64": "int64_t"}
_OTHER_NAMES = {
    "rsqrtf": "1 / sqrtf",
    "rsqrt": "1 / sqrt",
    "fast_expf": "expf",
    "fast_logf": "logf",
    "popc": "__builtin_popcount",
    "popcll": "__builtin_popcountll",
}


def _libdevice(declaration: str) -> str:
    """`__nv_expf` in terms of `expf`."""
    match = re.match(r"declare (\w+) @__nv_(\w+)\((.*)\)", declaration)
    if not match or not {match[1], *_split_types(match[3])} <= _C_TYPES.keys():
        raise UnknownInstruction(declaration)
    kinds = [_C_TYPES[kind] for kind in _split_types(match[3])]
    parameters = ", ".join(f"{kind} a{i}" for i, kind in enumerate(kinds))
    passed = ", ".join(f"a{i}" for i in range(len(kinds)))
    name = match[2]
    # Built in, so that a name that libm does not have fails to compile.
    call = "a0 != 0 ? __builtin_clz(a0) : 32" if name == "clz" else ""
    call = call or f"{_OTHER_NAMES.get(name, '__builtin_' + name)}({passed})"
    return f"{_C_TYPES[match[1]]} __nv_{name}({parameters}) {{ return {call}; }}"


def _entry(name: str, parameters: tuple[str, ...]) -> str:
    """A function that takes all arguments as an array of addresses."""
    lines = ["define void @emu_entry(ptr %arguments) {"]
    passed = []
    for i, kind in enumerate(parameters):
        lines += [
            f"  %p{i} = getelementptr ptr, ptr %arguments, i32 {i}",
            f"  %q{i} = load ptr, ptr %p{i}",
        ]
        if kind == TENSOR_MAP:
            passed.append(f"ptr %q{i}")
            continue
        lines.append(f"  %v{i} = load {kind}, ptr %q{i}, align 1")
        passed.append(f"{kind} %v{i}")
    return "\n".join([*lines, f"  call void @{name}({', '.join(passed)})", "  ret void", "}"])


_ELECT = """
define internal { i32, i1 } @emu_elect_sync(i32 %mask) {
  %lane = call i32 @emu_elect(i32 %mask)
  %own = call i32 @emu_read_ptx_sreg_laneid()
  %is = icmp eq i32 %lane, %own
  %r = insertvalue { i32, i1 } poison, i32 %lane, 0
  %s = insertvalue { i32, i1 } %r, i1 %is, 1
  ret { i32, i1 } %s
}"""


_FUNCTIONS = (
    ("i32", "@emu_elect", "i32"),
    ("i32", "@emu_read_ptx_sreg_laneid", ""),
    ("void", "@emu_access", "ptr, i64, i64, i32, ptr"),
    ("void", "@emu_mma", "i32, i32, i32, ptr, ptr, ptr"),
    ("i64", "@emu_machine", "i32"),
    ("void", "@emu_ldmatrix", "ptr, i32, i32, ptr"),
    ("void", "@emu_copy", "i32, i32, ptr, i32, i32"),
)
"""What the functions in place of instructions call."""


def for_host(ir: str) -> Kernel:
    """The only kernel of `ir`, what mlir-translate prints of a `gpu.module`."""
    rewriter, name = _Rewriter(), ""
    libdevice: list[str] = []
    parameters: tuple[str, ...] = ()
    for line in ir.splitlines():
        if line.startswith(("attributes ", "!", "target ")):
            continue
        if re.match(r"declare .*@llvm\.nvvm\.(ldmatrix|mma|elect)\.", line):
            continue
        line = re.sub(r", !\w[\w.]* !\d+", "", line)
        if line.startswith("declare ") and "@__nv_" in line:
            libdevice.append(_libdevice(_plain(line)))
        if line.startswith("define ptx_kernel"):
            header = re.match(r"define ptx_kernel void @(\S+?)\((.*)\)", line)
            assert header
            name, given = header[1], assembly.split(_plain(header[2]))
            parameters = tuple(
                TENSOR_MAP if "byval(" in part else _split_types(part)[0] for part in given
            )
            # Offsets may count from address zero, which only other address spaces permit.
            start = _plain(line).removesuffix("{") + "null_pointer_is_valid {"
            start = re.sub(r'byval\([^)]*\) (align \d+ )?("nvvm.grid_constant" )?', "", start)
            rewriter.body += [start, "; slots"]
        elif match := _ACCESS.match(line):
            rewriter.access(match)
        elif match := _TO_ADDRESS.match(line):
            rewriter.address(match)
        elif match := _MATRIX.match(line):
            rewriter.matrix_load(match)
        elif match := _MMA.match(line):
            rewriter.product(match)
        elif match := _ARITHMETIC.match(line):
            rewriter.arithmetic(match)
        elif match := _ASM.search(line):
            rewriter.assembly(line, match)
        else:
            rewriter.body.append(_plain(line))
    text = "\n".join(rewriter.body).replace("; slots", "\n".join(rewriter.slots))
    declared = " ".join(line for line in rewriter.body if line.startswith("declare "))
    declarations = [
        f"declare {kind} {name}({types})"
        for kind, name, types in _FUNCTIONS + assembly.FUNCTIONS
        if f"{name}(" not in declared
    ]
    if "@emu_elect_sync(" in text:
        rewriter.helpers["elect"] = _ELECT
    whole = [text, *declarations, *rewriter.helpers.values(), _entry(name, parameters)]
    header_c = "#include <math.h>\n#include <stdint.h>\n"
    return Kernel(name, parameters, "\n".join(whole) + "\n", header_c + "\n".join(libdevice) + "\n")
