//===- StructuredOps.td - Memory accesses as data ----------*- tablegen -*-===//
//
// The `tts` dialect: one operation per memory access, with everything the
// access touches as operands, so that no value is a pointer that was computed.
// Each dimension of a block is described on its own (see DimensionAccess in
// Structured.h); lowerings to memory, to vectors or to hardware descriptors
// read the same description. Scans and histograms, which linalg cannot say, are
// kept here until each device makes of them what suits it.
//
//===----------------------------------------------------------------------===//

#ifndef TRITON_SHARED_DIALECT_STRUCTURED_OPS
#define TRITON_SHARED_DIALECT_STRUCTURED_OPS

include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "triton-shared/Dialect/Structured/IR/AccessOpInterface.td"

def TTS_Dialect : Dialect {
  let name = "tts";
  let cppNamespace = "::mlir::tts";
  let useDefaultAttributePrinterParser = 1;
  let hasRegionArgAttrVerify = 1;
  let summary = "Structured memory accesses of a Triton program";
  let description = [{
    An access names a base and says, in elements, where its block lies relative
    to it. Bases are the pointer arguments of the kernel (`!tt.ptr<T>` in phase
    `structured`, `memref<*xT>` from phase `linalg` on) or come from an integer
    address (`tts.from_address`). Elements of type `i1` and pointers never lie
    in memory: Triton stores them as `i8` and `i64`.

    Element `(i0, i1, …)` of a strided access lies at

    ```
    base + offset + sum over d of stride_d * index_d(i_d)
    ```

    where `index_d(i)` is `i` itself, `(start + i) mod size` in a wrapped
    dimension, or `indices[i]` in a gathered one. The element takes part in the
    access if `low_d <= i_d < high_d` holds in every bounded dimension and the
    mask, if there is one, is true there. Elements of a load that take no part
    are `other`, or undefined without `other`. Offsets are 64 bits wide.

    An argument with the attribute `tts.parameter = "grid.x"` is a hidden
    parameter of the kernel: the launch fills it in, behind the parameters that
    the kernel's author has written. `KernelSignature` reads and writes these
    names.

    What linalg has no operation for is here, too: what an element of a scan or
    of a histogram comes from depends on its place or on numbers.
  }];
}

//===----------------------------------------------------------------------===//
// Types and attributes
//===----------------------------------------------------------------------===//

def TTS_Base : Type<CPred<"::mlir::tts::isAccessBase($_self)">,
                    "pointer or unranked memref">;
def TTS_Start : Type<CPred<"::mlir::tts::isAddressable($_self)">,
                     "pointer to anything scalar, or unranked memref">;
def TTS_Offsets : RankedTensorOf<[I64]>;
def TTS_OffsetLike : AnyTypeOf<[I64, TTS_Offsets]>;
def TTS_Mask : AnyTypeOf<[I1, RankedTensorOf<[I1]>]>;
def TTS_Indices : 1DTensorOf<[I64]>;
def TTS_Dims : DefaultValuedAttr<DenseI64ArrayAttr, "{}">;

class TTS_Enum<string name, string summary, list<I32EnumCase> cases>
    : I32Enum<name, summary, cases> {
  let cppNamespace = "::mlir::tts";
}

def TTS_AtomicKind : TTS_Enum<"AtomicKind", "What an atomic update computes", [
  I32EnumCase<"And", 1, "and">, I32EnumCase<"Or", 2, "or">,
  I32EnumCase<"Xor", 3, "xor">, I32EnumCase<"Add", 4, "add">,
  I32EnumCase<"FAdd", 5, "fadd">, I32EnumCase<"Max", 6, "max">,
  I32EnumCase<"Min", 7, "min">, I32EnumCase<"UMax", 8, "umax">,
  I32EnumCase<"UMin", 9, "umin">, I32EnumCase<"Exchange", 10, "exchange">,
  I32EnumCase<"FMax", 11, "fmax">, I32EnumCase<"FMin", 12, "fmin">,
  I32EnumCase<"Increment", 13, "increment">,
  I32EnumCase<"Decrement", 14, "decrement">
]>;
def TTS_MemoryOrder : TTS_Enum<"MemoryOrder", "Ordering of an atomic access", [
  I32EnumCase<"Relaxed", 1, "relaxed">, I32EnumCase<"Acquire", 2, "acquire">,
  I32EnumCase<"Release", 3, "release">,
  I32EnumCase<"AcquireRelease", 4, "acq_rel">
]>;
def TTS_MemoryScope : TTS_Enum<"MemoryScope", "Who sees an atomic access", [
  I32EnumCase<"Gpu", 1, "gpu">, I32EnumCase<"Cta", 2, "cta">,
  I32EnumCase<"Sys", 3, "sys">
]>;

def TTS_MachineRegister : TTS_Enum<"MachineRegister",
    "A register of a GPU that says what the machine does", [
  I32EnumCase<"Processor", 1, "smid">,
  I32EnumCase<"ProcessorCount", 2, "nsmid">,
  I32EnumCase<"Clock", 3, "clock">, I32EnumCase<"ClockHigh", 4, "clock_hi">,
  I32EnumCase<"Clock64", 5, "clock64">,
  I32EnumCase<"Timer", 6, "globaltimer">,
  I32EnumCase<"TimerLow", 7, "globaltimer_lo">,
  I32EnumCase<"TimerHigh", 8, "globaltimer_hi">,
  I32EnumCase<"Thread", 9, "tid.x">, I32EnumCase<"ThreadCount", 10, "ntid.x">,
  I32EnumCase<"Lane", 11, "laneid">, I32EnumCase<"Warp", 12, "warpid">,
  I32EnumCase<"WarpCount", 13, "nwarpid">,
  I32EnumCase<"LaneMaskEqual", 14, "lanemask_eq">,
  I32EnumCase<"LaneMaskLessEqual", 15, "lanemask_le">,
  I32EnumCase<"LaneMaskLess", 16, "lanemask_lt">,
  I32EnumCase<"LaneMaskGreaterEqual", 17, "lanemask_ge">,
  I32EnumCase<"LaneMaskGreater", 18, "lanemask_gt">
]>;

def TTS_ParameterKind : TTS_Enum<"ParameterKind",
    "What a parameter holds that no kernel's author has written", [
  I32EnumCase<"GridX", 1, "grid.x">, I32EnumCase<"GridY", 2, "grid.y">,
  I32EnumCase<"GridZ", 3, "grid.z">, I32EnumCase<"ProgramX", 4, "program.x">,
  I32EnumCase<"ProgramY", 5, "program.y">,
  I32EnumCase<"ProgramZ", 6, "program.z">,
  I32EnumCase<"FirstProgram", 7, "programs.first">,
  I32EnumCase<"ProgramCount", 8, "programs.count">,
  I32EnumCase<"RunningProgram", 9, "programs.running">,
  I32EnumCase<"Scratch", 10, "scratch">,
  I32EnumCase<"TensorMap", 11, "tensor_map">,
  I32EnumCase<"MissingTensorMaps", 12, "tensor_maps.missing">
]>;

class TTS_EnumAttr<EnumInfo info, string mnemonic>
    : EnumAttr<TTS_Dialect, info, mnemonic>;
def TTS_AtomicKindAttr : TTS_EnumAttr<TTS_AtomicKind, "kind">;
def TTS_MemoryOrderAttr : TTS_EnumAttr<TTS_MemoryOrder, "order">;
def TTS_MachineRegisterAttr : TTS_EnumAttr<TTS_MachineRegister, "machine">;
def TTS_MemoryScopeAttr : TTS_EnumAttr<TTS_MemoryScope, "scope">;

def TTS_TensorMapAttr : AttrDef<TTS_Dialect, "TensorMap"> {
  let mnemonic = "tensor_map";
  let summary = "What a launch makes a tensor map of";
  let description = [{
    A tensor map tells the copy engine of a GPU where a tensor lies and which
    boxes of it are copied. A launch encodes it from the kernel's arguments and
    passes it by value; this is the recipe, the attribute `tts.tensor_map` of
    the hidden parameter `tensor_map`:

    ```mlir
    func.func @kernel(%a: memref<*xf16>, %m: i32, %k: i32, %stride: i32, ...,
        %map: !llvm.ptr {
          tts.parameter = "tensor_map",
          tts.tensor_map = #tts.tensor_map<f16, base = arg 0,
            sizes = [arg 1, arg 2], strides = [arg 3, 1], box = [128, 64],
            swizzle = 128, outside = zeros>})
    ```

    Dimensions are in the order of the tensor, the last one is that of
    neighbours. Sizes and strides, in elements, are constants or `arg`, the
    number of a written parameter. Element (i, j) lies at base + i * stride + j.
    The rows of a box lie one after the other in shared memory, swizzled if they
    have 32, 64 or 128 bytes and that is the swizzle (0: none). Elements outside
    of the tensor are copied as zeros or as NaN; `outside = arg 4` means NaN if
    that parameter, an i1, is true. Elements of 8 bits are bytes.

    The hidden parameter `tensor_maps.missing`, an i32, has bit i set if the
    numbers of tensor map i, counted among the parameters of this kind, were
    none that it can have. A kernel that asks for it has another way where they
    were not; a launch of any other kernel fails then.
  }];
  let parameters = (ins "::mlir::Type":$elementType, "unsigned":$base,
    ArrayRefParameter<"::mlir::tts::LaunchNumber">:$sizes,
    ArrayRefParameter<"::mlir::tts::LaunchNumber">:$strides,
    ArrayRefParameter<"int64_t">:$box, "unsigned":$swizzle,
    "::mlir::tts::LaunchNumber":$fillsWithNan);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

class TTS_Op<string mnemonic, list<Trait> traits = []>
    : Op<TTS_Dialect, mnemonic, traits>;

/// An access of memory: see AccessOpInterface.td.
class TTS_AccessOp<string mnemonic, list<Trait> traits = []>
    : TTS_Op<mnemonic, traits # [TTS_AccessOpInterface]>;

//===----------------------------------------------------------------------===//
// Strided accesses
//===----------------------------------------------------------------------===//

defvar StridedDeclarations = [{
    ::llvm::SmallVector<::mlir::tts::DimensionAccess> getDimensions();
    ::std::optional<int64_t> findGatheredDim(::mlir::OpOperand &operand);
}];
defvar ReadDeclarations = [{
    bool isVolatile() { return getIsVolatile(); }
}];
defvar WriteDeclarations = [{
    ::mlir::OpOperand *getStored() { return &getValueMutable(); }
}];

def TTS_LoadOp : TTS_AccessOp<"load", [
    AttrSizedOperandSegments,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "Read a block whose dimensions are described one by one";
  let description = [{
    ```mlir
    // 64 rows of 32, rows wrap at %m, columns end at %n.
    %t = tts.load %p[%o] strides [%s, 1] wrap [0] from (%r) size (%m)
           bounds [1] from (%zero) to (%n) other %x : f32
           : !tt.ptr<f32> -> tensor<64x32xf32>
    // A scalar has no dimensions.
    %v = tts.load %p[%o] strides [] : !tt.ptr<f32> -> f32
    ```

    `cache`, `evict` are the hints of the Triton source, in its words;
    `is_volatile` forbids to drop, merge or move the read.
  }];
  let arguments = (ins
    TTS_Base:$base, I64:$offset,
    Variadic<I64>:$strides, DenseI64ArrayAttr:$static_strides,
    Variadic<I64>:$wrap_starts, Variadic<I64>:$wrap_sizes,
    TTS_Dims:$wrapped_dims,
    Variadic<TTS_Indices>:$indices, TTS_Dims:$gathered_dims,
    Variadic<I64>:$lows, Variadic<I64>:$highs, TTS_Dims:$bounded_dims,
    Optional<TTS_Mask>:$mask, Optional<AnyType>:$other,
    OptionalAttr<StrAttr>:$cache, OptionalAttr<StrAttr>:$evict,
    UnitAttr:$is_volatile);
  let results = (outs AnyType:$result);
  let assemblyFormat = [{
    $base `[` $offset `]`
    `strides` custom<DynamicIndexList>($strides, $static_strides)
    (`wrap` $wrapped_dims `from` `(` $wrap_starts^ `)`
      `size` `(` $wrap_sizes `)`)?
    (`gather` $gathered_dims `by` `(` $indices^ `:` type($indices) `)`)?
    (`bounds` $bounded_dims `from` `(` $lows^ `)` `to` `(` $highs `)`)?
    (`mask` $mask^ `:` type($mask))? (`other` $other^ `:` type($other))?
    attr-dict `:` qualified(type($base)) `->` type($result)
  }];
  let builders = [OpBuilder<(ins "::mlir::Type":$result,
    "::mlir::Value":$base, "::mlir::Value":$offset,
    "::llvm::ArrayRef<::mlir::tts::DimensionAccess>":$dimensions,
    "::mlir::Value":$mask, "::mlir::Value":$other)>];
  let extraClassDeclaration =
    !strconcat(StridedDeclarations, ReadDeclarations, [{
      /// The same load of a block that lies elsewhere, or otherwise.
      ::mlir::tts::LoadOp
      cloneWith(::mlir::OpBuilder &builder, ::mlir::Value offset,
                ::llvm::ArrayRef<::mlir::tts::DimensionAccess> dimensions);
    }]);
  let hasCanonicalizeMethod = 1;
  let hasVerifier = 1;
}

def TTS_StoreOp : TTS_AccessOp<"store", [
    AttrSizedOperandSegments, MemoryEffects<[MemWrite]>]> {
  let summary = "Write a block whose dimensions are described one by one";
  let description = [{
    ```mlir
    tts.store %t to %p[%o] strides [%s, 1] bounds [1] from (%zero) to (%n)
      : tensor<64x32xf32>, !tt.ptr<f32>
    ```

    Where two elements lie at one address, the later one in row-major order
    stays. Hints as in `tts.load`.
  }];
  let arguments = (ins
    AnyType:$value, TTS_Base:$base, I64:$offset,
    Variadic<I64>:$strides, DenseI64ArrayAttr:$static_strides,
    Variadic<I64>:$wrap_starts, Variadic<I64>:$wrap_sizes,
    TTS_Dims:$wrapped_dims,
    Variadic<TTS_Indices>:$indices, TTS_Dims:$gathered_dims,
    Variadic<I64>:$lows, Variadic<I64>:$highs, TTS_Dims:$bounded_dims,
    Optional<TTS_Mask>:$mask,
    OptionalAttr<StrAttr>:$cache, OptionalAttr<StrAttr>:$evict);
  let assemblyFormat = [{
    $value `to` $base `[` $offset `]`
    `strides` custom<DynamicIndexList>($strides, $static_strides)
    (`wrap` $wrapped_dims `from` `(` $wrap_starts^ `)`
      `size` `(` $wrap_sizes `)`)?
    (`gather` $gathered_dims `by` `(` $indices^ `:` type($indices) `)`)?
    (`bounds` $bounded_dims `from` `(` $lows^ `)` `to` `(` $highs `)`)?
    (`mask` $mask^ `:` type($mask))?
    attr-dict `:` type($value) `,` qualified(type($base))
  }];
  let builders = [OpBuilder<(ins "::mlir::Value":$value,
    "::mlir::Value":$base, "::mlir::Value":$offset,
    "::llvm::ArrayRef<::mlir::tts::DimensionAccess>":$dimensions,
    "::mlir::Value":$mask)>];
  let extraClassDeclaration =
    !strconcat(StridedDeclarations, WriteDeclarations, [{
      /// The same store with other dimensions.
      ::mlir::tts::StoreOp
      cloneWith(::mlir::OpBuilder &builder,
                ::llvm::ArrayRef<::mlir::tts::DimensionAccess> dimensions);
    }]);
  let hasCanonicalizeMethod = 1;
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Accesses by a tensor of offsets
//===----------------------------------------------------------------------===//

def TTS_GatherOp : TTS_AccessOp<"gather", [
    AttrSizedOperandSegments,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "Read a block at a tensor of element offsets";
  let description = [{
    The form that every load of a block can have.

    ```mlir
    %t = tts.gather %p[%offsets] mask %m : tensor<8xi1> other %x : f32
           : !tt.ptr<f32>, tensor<8xi64> -> tensor<8xf32>
    ```
  }];
  let arguments = (ins TTS_Base:$base, TTS_Offsets:$offset,
    Optional<TTS_Mask>:$mask, Optional<AnyType>:$other,
    OptionalAttr<StrAttr>:$cache, OptionalAttr<StrAttr>:$evict,
    UnitAttr:$is_volatile);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $base `[` $offset `]`
    (`mask` $mask^ `:` type($mask))? (`other` $other^ `:` type($other))?
    attr-dict `:` qualified(type($base)) `,` type($offset) `->` type($result)
  }];
  let extraClassDeclaration = ReadDeclarations;
  let hasVerifier = 1;
}

def TTS_ScatterOp : TTS_AccessOp<"scatter", [
    MemoryEffects<[MemWrite]>]> {
  let summary = "Write a block at a tensor of element offsets";
  let description = [{
    The form that every store of a block can have. Where two offsets are equal,
    the later element in row-major order stays.

    ```mlir
    tts.scatter %t to %p[%offsets] : tensor<8xf32>, !tt.ptr<f32>, tensor<8xi64>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$value, TTS_Base:$base,
    TTS_Offsets:$offset, Optional<TTS_Mask>:$mask,
    OptionalAttr<StrAttr>:$cache, OptionalAttr<StrAttr>:$evict);
  let assemblyFormat = [{
    $value `to` $base `[` $offset `]` (`mask` $mask^ `:` type($mask))?
    attr-dict `:` type($value) `,` qualified(type($base)) `,` type($offset)
  }];
  let extraClassDeclaration = WriteDeclarations;
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Atomic accesses
//===----------------------------------------------------------------------===//

defvar AtomicDeclarations = [{
    ::std::optional<::mlir::tts::MemoryOrder> getAtomicOrder() {
      return getOrder();
    }
}];

def TTS_AtomicRMWOp : TTS_AccessOp<"atomic_rmw", [
    AllTypesMatch<["value", "result"]>, MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Update elements atomically and give their old values";
  let description = [{
    Each element is updated by itself, in row-major order within the program.
    The old value of an element whose mask is false is undefined.
    `increment` is `old >= value ? 0 : old + 1`, and `decrement` is
    `old == 0 || old > value ? value : old - 1`, both unsigned.

    ```mlir
    %old = tts.atomic_rmw fadd acq_rel gpu %v at %p[%o] mask %m : tensor<8xi1>
             : tensor<8xf32>, !tt.ptr<f32>, tensor<8xi64>
    ```
  }];
  let arguments = (ins TTS_AtomicKindAttr:$kind, TTS_MemoryOrderAttr:$order,
    TTS_MemoryScopeAttr:$scope, AnyType:$value, TTS_Base:$base,
    TTS_OffsetLike:$offset, Optional<TTS_Mask>:$mask);
  let results = (outs AnyType:$result);
  let assemblyFormat = [{
    $kind $order $scope $value `at` $base `[` $offset `]`
    (`mask` $mask^ `:` type($mask))?
    attr-dict `:` type($value) `,` qualified(type($base)) `,` type($offset)
  }];
  let extraClassDeclaration = AtomicDeclarations # [{
    bool isWrite() { return true; }
    bool isData(::mlir::Value operand) { return operand == getValue(); }
  }];
  let hasVerifier = 1;
}

def TTS_AtomicCASOp : TTS_AccessOp<"atomic_cas", [
    AllTypesMatch<["compare", "value", "result"]>,
    MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Compare and swap elements atomically";
  let description = [{
    Writes `value` where memory holds `compare` bit for bit, and gives the old
    values.
  }];
  let arguments = (ins TTS_MemoryOrderAttr:$order, TTS_MemoryScopeAttr:$scope,
    AnyType:$compare, AnyType:$value, TTS_Base:$base, TTS_OffsetLike:$offset);
  let results = (outs AnyType:$result);
  let assemblyFormat = [{
    $order $scope $compare `,` $value `at` $base `[` $offset `]` attr-dict
    `:` type($value) `,` qualified(type($base)) `,` type($offset)
  }];
  let extraClassDeclaration = AtomicDeclarations # [{
    bool isWrite() { return true; }
    bool isData(::mlir::Value operand) {
      return operand == getValue() || operand == getCompare();
    }
  }];
  let hasVerifier = 1;
}

def TTS_AtomicPollOp : TTS_AccessOp<"atomic_poll", [
    MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Wait until an element has a value";
  let description = [{
    Reads the element until it equals `expected` (true) or `timeout`
    nanoseconds have passed (false; without `timeout` it waits for ever).
  }];
  let arguments = (ins TTS_MemoryOrderAttr:$order, TTS_MemoryScopeAttr:$scope,
    AnyType:$expected, TTS_Base:$base, I64:$offset, Optional<I64>:$timeout);
  let results = (outs I1:$result);
  let assemblyFormat = [{
    $order $scope $expected `at` $base `[` $offset `]` (`timeout` $timeout^)?
    attr-dict `:` type($expected) `,` qualified(type($base))
  }];
  let extraClassDeclaration = AtomicDeclarations # [{
    bool waits() { return true; }
    ::mlir::Value getTile() { return getExpected(); }
    bool isData(::mlir::Value operand) {
      return operand == getExpected() || operand == getTimeout();
    }
  }];
}

//===----------------------------------------------------------------------===//
// Across the elements of a block
//===----------------------------------------------------------------------===//

def TTS_ScanOp : TTS_Op<"scan", [RecursiveMemoryEffects,
    SingleBlockImplicitTerminator<"YieldOp">]> {
  let summary = "Combine each element with all before it along one dimension";
  let description = [{
    Inclusive. With `reverse`, with all after it. The region takes an element of
    each source that stands for all so far, then the next of each, and gives
    what stands for all with these. It is associative, by Triton's contract, so
    that neighbours may be combined in any grouping.

    ```mlir
    // The running sums of each row.
    %s = tts.scan %x axis 1 : (tensor<4x8xf32>) -> tensor<4x8xf32> {
    ^bb0(%sum: f32, %next: f32):
      %0 = arith.addf %sum, %next : f32
      tts.yield %0 : f32
    }
    ```
  }];
  let arguments = (ins Variadic<StaticShapeTensorOf<[AnyType]>>:$sources,
                       I64Attr:$axis, UnitAttr:$reverse);
  let results = (outs Variadic<StaticShapeTensorOf<[AnyType]>>:$results);
  let regions = (region SizedRegion<1>:$combine);
  let assemblyFormat = [{
    $sources `axis` $axis (`reverse` $reverse^)? attr-dict
    `:` functional-type($sources, $results)
    $combine
  }];
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

def TTS_YieldOp : TTS_Op<"yield", [Pure, Terminator, ReturnLike,
    HasParent<"ScanOp">]> {
  let summary = "What the region of a scan gives";
  let arguments = (ins Variadic<AnyType>:$values);
  let builders = [OpBuilder<(ins), [{ build($_builder, $_state, ValueRange()); }]>];
  let assemblyFormat = "($values^ `:` type($values))? attr-dict";
}

def TTS_HistogramOp : TTS_Op<"histogram", [Pure]> {
  let summary = "How many elements have each value";
  let description = [{
    Result element `i` is the number of elements equal to `i`, of those whose
    mask is true. Elements are unsigned; one beyond the result counts nowhere.

    ```mlir
    %bins = tts.histogram %x mask %m : tensor<256xi1>
              : tensor<256xi32> -> tensor<16xi32>
    ```
  }];
  let arguments = (ins StaticShapeTensorOf<[AnySignlessInteger]>:$source,
                       Optional<StaticShapeTensorOf<[I1]>>:$mask);
  let results = (outs StaticShapeTensorOf<[AnySignlessInteger]>:$result);
  let assemblyFormat = [{
    $source (`mask` $mask^ `:` type($mask))? attr-dict
    `:` type($source) `->` type($result)
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Addresses
//===----------------------------------------------------------------------===//

def TTS_FromAddressOp : TTS_Op<"from_address", [Pure]> {
  let summary = "The base at an integer address in bytes";
  let arguments = (ins I64:$address);
  let results = (outs TTS_Base:$base);
  let assemblyFormat = "$address attr-dict `:` qualified(type($base))";
}

def TTS_ToAddressOp : TTS_Op<"to_address", [Pure]> {
  let summary = "The address of a base in bytes";
  let description = [{
    Also of pointers that no access starts from: to pointers and to `i1`.
  }];
  let arguments = (ins TTS_Start:$base);
  let results = (outs I64:$address);
  let assemblyFormat = "$base attr-dict `:` qualified(type($base))";
}

//===----------------------------------------------------------------------===//
// Messages to the user of the kernel
//===----------------------------------------------------------------------===//

def TTS_PrintOp : TTS_Op<"print", [MemoryEffects<[MemWrite]>]> {
  let summary = "Print values, one line per element";
  let description = [{
    Prints `pid (x, y, z) idx (i, j) prefix value` for each element of each
    operand. `is_signed` has one entry per operand: 1 for a signed integer, 2
    for an address, 0 for all else. Without operands it prints the prefix alone.
  }];
  let arguments = (ins StrAttr:$prefix, BoolAttr:$hex,
    DenseI32ArrayAttr:$is_signed, Variadic<AnyType>:$args);
  let assemblyFormat = [{
    $prefix attr-dict (`:` $args^ `:` type($args))?
  }];
  let extraClassDeclaration = [{
    /// The entry of `is_signed` for an address.
    static constexpr int32_t kAddress = 2;
  }];
}

def TTS_AssertOp : TTS_Op<"assert", [MemoryEffects<[MemWrite]>]> {
  let summary = "Stop the launch unless all elements are true";
  let arguments = (ins TTS_Mask:$condition, StrAttr:$message);
  let assemblyFormat = "$condition `,` $message attr-dict `:` type($condition)";
}

def TTS_Causes : AnyTypeOf<[I32, RankedTensorOf<[I32]>]>;

def TTS_NoteOp : TTS_Op<"note", [MemoryEffects<[MemWrite]>]> {
  let summary = "Note which elements are wrong, and why";
  let description = [{
    In kernels that are checked: `causes` has for each element the number of the
    operation that is to blame, or 0 where all is well. `site` is JSON, the
    operation that shows what is wrong, with the list of all `causes`; number 1
    is the first of them. `values` are shown in a report.

    ```mlir
    tts.note "{\22class\22:\22undefined-lanes\22…}", %c : tensor<8xi32>
    ```
  }];
  let arguments = (ins StrAttr:$site, TTS_Causes:$causes,
    Optional<AnyType>:$values);
  let assemblyFormat = [{
    $site `,` $causes (`,` $values^)? attr-dict
    `:` type($causes) (`,` type($values)^)?
  }];
}

//===----------------------------------------------------------------------===//
// The machine
//===----------------------------------------------------------------------===//

def TTS_MachineState : Resource<"::mlir::tts::MachineState">;

def TTS_ReadMachineOp : TTS_Op<"read_machine", [
    MemoryEffects<[MemRead<TTS_MachineState>, MemWrite<TTS_MachineState>]>]> {
  let summary = "What a register of the machine holds now";
  let description = [{
    ```mlir
    %t = tts.read_machine globaltimer : i64
    %l = tts.read_machine laneid : tensor<64xi32>
    ```

    Reads follow each other in the order of the program; none is dropped. On a
    GPU every thread reads for itself, and an element of a block is what a
    thread that holds it has read. On a CPU a clock counts nanoseconds and a
    multiprocessor is a logical CPU; what tells the threads of a program apart
    has no meaning there.
  }];
  let arguments = (ins TTS_MachineRegisterAttr:$name);
  let results = (outs AnyTypeOf<[I32, I64, RankedTensorOf<[I32, I64]>]>:$result);
  let assemblyFormat = "$name attr-dict `:` type($result)";
  let hasVerifier = 1;
}

#endif // TRITON_SHARED_DIALECT_STRUCTURED_OPS
