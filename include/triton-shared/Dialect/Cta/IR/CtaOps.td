//===- CtaOps.td - Tiles spread over the threads of a CTA --*- tablegen -*-===//
//
// The `cta` dialect: what a program computes on whole tiles, before it is known
// what each thread does. Element-wise work stays `arith` and `math` on tensors,
// accesses stay `tts`; only what looks across elements has an operation here.
//
//===----------------------------------------------------------------------===//

#ifndef TRITON_SHARED_DIALECT_CTA_OPS
#define TRITON_SHARED_DIALECT_CTA_OPS

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/OpBase.td"
include "mlir/IR/TensorEncoding.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "triton-shared/Dialect/Cta/IR/CtaOpInterface.td"

def CTA_Dialect : Dialect {
  let name = "cta";
  let cppNamespace = "::mlir::cta";
  let useDefaultAttributePrinterParser = 1;
  let useDefaultTypePrinterParser = 1;
  let hasConstantMaterializer = 1;
  let dependentDialects = ["::mlir::arith::ArithDialect"];
  let summary = "Tiles spread over the threads of one CTA";
  let description = [{
    A tile is a ranked tensor whose sizes are powers of two. Its encoding, once
    `cta-assign-layouts` has run, says where its elements live: a
    `#cta.layout`. Operations that need their operands elsewhere take them
    through `cta.convert_layout`, the only operation that moves data between
    threads for no other reason.
  }];
}

//===----------------------------------------------------------------------===//
// Layouts
//===----------------------------------------------------------------------===//

def CTA_LayoutAttr : AttrDef<CTA_Dialect, "Layout",
    [DeclareAttrInterfaceMethods<VerifiableTensorEncoding>]> {
  let mnemonic = "layout";
  let summary = "Which thread holds which elements of a tile";
  let description = [{
    One list of coordinates per bit of the register, lane and warp index (see
    LinearLayout.h). Of a tile of 4x64 on one warp, four neighbours per thread:

    ```mlir
    #cta.layout<register = [[0, 1], [0, 2], [2, 0]],
                lane = [[0, 4], [0, 8], [0, 16], [0, 32], [1, 0]], warp = []>
    ```
  }];
  let parameters = (ins "unsigned":$rank,
    ArrayRefParameter<"int32_t">:$registers,
    ArrayRefParameter<"int32_t">:$lanes, ArrayRefParameter<"int32_t">:$warps);
  let builders = [AttrBuilder<(ins "const LinearLayout &":$layout)>];
  let extraClassDeclaration = "LinearLayout getLayout() const;";
  let hasCustomAssemblyFormat = 1;
}

def CTA_SharedLayoutAttr : AttrDef<CTA_Dialect, "SharedLayout"> {
  let mnemonic = "shared";
  let summary = "Where the elements of a tile lie in shared memory";
  let description = [{
    The coordinates that each bit of an offset stands for (see SharedLayout.h).
    Of a tile of 4x16 whose halves of rows change places from row to row:

    ```mlir
    #cta.shared<[[0, 1], [0, 2], [0, 4], [0, 8], [1, 8], [2, 0]]>
    ```
  }];
  let parameters = (ins "unsigned":$rank,
    ArrayRefParameter<"int32_t">:$offsets);
  let builders = [AttrBuilder<(ins "const SharedLayout &":$layout)>];
  let extraClassDeclaration = "SharedLayout getLayout() const;";
  let hasCustomAssemblyFormat = 1;
}

def CTA_TargetAttr : AttrDef<CTA_Dialect, "Target"> {
  let mnemonic = "target";
  let summary = "The GPU that a function is made for";
  let description = [{
    The attribute `cta.target` of a function, written by `linalg-to-cta`. What
    the GPU has, passes ask `GpuTarget`; a function without one is made for the
    oldest, sm_80.

    ```mlir
    func.func @kernel(...) attributes {cta.target = #cta.target<"sm_90a">}
    ```
  }];
  let parameters = (ins StringRefParameter<"as LLVM writes it">:$name);
  let extraClassDeclaration = "triton_shared::GpuTarget getTarget() const;";
  let assemblyFormat = "`<` $name `>`";
  let genVerifyDecl = 1;
}

def CTA_MmaAttr : AttrDef<CTA_Dialect, "Mma"> {
  let mnemonic = "mma";
  let summary = "One `mma.sync`: a warp multiplies small matrices in registers";
  let description = [{
    Rows and columns of the result, the common dimension, and what the operands
    are rounded to: `#cta.mma<m16n8k16, f16>`. A `cta.dot` that has it has its
    operands and its result where the instruction takes them (see DotLayout.h).
    Source: PTX ISA, "Matrix multiply-accumulate operation using mma
    instruction".
  }];
  let parameters = (ins "unsigned":$m, "unsigned":$n, "unsigned":$k,
                        "::mlir::Type":$operandType);
  let extraClassDeclaration = [{
    /// Elements of an operand in one 32-bit register; 1 for f64, which fills
    /// two.
    unsigned getPerRegister() const;
    /// The element type of tiles that it multiplies.
    Type getElementType() const;
    /// Multiplies f64 in matrices of 16 rows (GpuTarget::hasLargeF64Matrices).
    bool isLargeF64() const;
  }];
  let hasCustomAssemblyFormat = 1;
}

def CTA_WgmmaAttr : AttrDef<CTA_Dialect, "Wgmma"> {
  let mnemonic = "wgmma";
  let summary = "One `wgmma.mma_async`: four warps multiply from shared memory";
  let description = [{
    Rows and columns of the result and the common dimension of one instruction:
    `#cta.wgmma<m64n128k16>`. The right operand lies in shared memory, and so
    does the left one unless it says `registers`. Element types are those of the
    operands; f32 ones are read as tf32. Source: PTX ISA, "Asynchronous
    warpgroup level matrix multiply-accumulate instructions".
  }];
  let parameters = (ins "unsigned":$m, "unsigned":$n, "unsigned":$k,
                        "bool":$isLeftInRegisters);
  let hasCustomAssemblyFormat = 1;
}

def CTA_Buffer : TypeDef<CTA_Dialect, "Buffer"> {
  let mnemonic = "buffer";
  let summary = "Tiles of one kind in shared memory";
  let description = [{
    `slots` places, each for one tile, one after the other:
    `!cta.buffer<3, 128x64xf16, #cta.shared<...>>`.
  }];
  let parameters = (ins "int64_t":$slots, ArrayRefParameter<"int64_t">:$shape,
                        "::mlir::Type":$elementType,
                        "::mlir::cta::SharedLayoutAttr":$layout);
  let extraClassDeclaration = [{
    /// The bytes of one slot.
    int64_t getSlotBytes() const;
    /// Of the same memory, whose dimension `i` is `permutation[i]` of this one.
    BufferType transpose(ArrayRef<int64_t> permutation) const;
  }];
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

//===----------------------------------------------------------------------===//
// Tiles from nothing
//===----------------------------------------------------------------------===//

def CTA_Tile : StaticShapeTensorOf<[AnyType]>;
def CTA_IntegerTile : StaticShapeTensorOf<[AnySignlessInteger, Index]>;

/// `answers` are the methods of the interface that have no default here.
class CTA_Op<string mnemonic, list<Trait> traits = [],
             list<string> answers = []>
    : Op<CTA_Dialect, mnemonic, traits #
         [DeclareOpInterfaceMethods<CTA_CtaOpInterface, answers>]>;

def CTA_SplatOp : CTA_Op<"splat", [Pure,
    TypesMatchWith<"operand is an element of the result", "result", "source",
                   "::mlir::cast<::mlir::ShapedType>($_self).getElementType()">],
    ["isMadeAgain"]> {
  let summary = "A tile of one value";
  let arguments = (ins AnyType:$source);
  let results = (outs CTA_Tile:$result);
  let assemblyFormat = "$source attr-dict `:` type($result)";
  let hasFolder = 1;
}

def CTA_IotaOp : CTA_Op<"iota", [Pure], ["isMadeAgain"]> {
  let summary = "The coordinate of each element along a dimension";
  let arguments = (ins I64Attr:$dim);
  let results = (outs CTA_IntegerTile:$result);
  let assemblyFormat = "$dim attr-dict `:` type($result)";
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

def CTA_BroadcastOp : CTA_Op<"broadcast", [Pure],
    ["getLayoutRelations", "getNeededLayout", "isMadeAgain"]> {
  let summary = "Repeat a tile along its dimensions of size one";
  let arguments = (ins CTA_Tile:$source);
  let results = (outs CTA_Tile:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
  let hasFolder = 1;
  let hasVerifier = 1;
}

def CTA_ReshapeOp : CTA_Op<"reshape", [Pure],
    ["getLayoutRelations", "getNeededLayout", "isMadeAgain"]> {
  let summary = "The same elements in row-major order, in another shape";
  let arguments = (ins CTA_Tile:$source);
  let results = (outs CTA_Tile:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
  let hasFolder = 1;
  let hasVerifier = 1;
}

def CTA_UnpackE2M1Op : CTA_Op<"unpack_e2m1", [Pure],
    ["getLayoutRelations", "getNeededLayout", "getLayoutOrigin"]> {
  let summary = "The two floats of 4 bits in each byte";
  let description = [{
    Dimension `dim` of the result has size 2: the float in the low half of a
    byte, then that in the high one. A thread makes both of the bytes it holds.
  }];
  let arguments = (ins CTA_Tile:$source, I64Attr:$dim);
  let results = (outs CTA_Tile:$result);
  let assemblyFormat = [{
    $source `dim` $dim attr-dict `:` type($source) `->` type($result)
  }];
  let hasVerifier = 1;
}

def CTA_TransposeOp : CTA_Op<"transpose", [Pure],
    ["getLayoutRelations", "getNeededLayout", "isMadeAgain"]> {
  let summary = "Permute dimensions";
  let description = "Dimension `i` of the result is `permutation[i]` of the source.";
  let arguments = (ins CTA_Tile:$source, DenseI64ArrayAttr:$permutation);
  let results = (outs CTA_Tile:$result);
  let assemblyFormat = [{
    $source $permutation attr-dict `:` type($source) `->` type($result)
  }];
  let hasVerifier = 1;
}

def CTA_ExtractOp : CTA_Op<"extract", [Pure,
    TypesMatchWith<"result is an element of the operand", "source", "result",
                   "::mlir::cast<::mlir::ShapedType>($_self).getElementType()">],
    ["getSharedBytes", "getNoun"]> {
  let summary = "One element of a tile, in every thread";
  let arguments = (ins CTA_Tile:$source, Variadic<Index>:$indices);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$source `[` $indices `]` attr-dict `:` type($source)";
  let hasVerifier = 1;
}

def CTA_LookupOp : CTA_Op<"lookup", [Pure],
    ["getLayoutRelations", "getNeededLayout",
     "getSharedBytes", "getNoun"]> {
  let summary = "The elements of a tile at computed coordinates";
  let description = [{
    Result element `e` is `source[indices[0][e], indices[1][e], …]`; there is
    one tile of indices per dimension of the source, each of the result's shape.
    An index outside of the source gives an undefined element.
  }];
  let arguments = (ins CTA_Tile:$source, Variadic<CTA_Tile>:$indices);
  let results = (outs CTA_Tile:$result);
  let assemblyFormat = [{
    $source `[` $indices `:` type($indices) `]` attr-dict
    `:` type($source) `->` type($result)
  }];
  let hasVerifier = 1;
}

def CTA_ConvertLayoutOp : CTA_Op<"convert_layout", [Pure],
    ["getSharedBytes", "getNoun"]> {
  let summary = "The same tile, held by other threads";
  let arguments = (ins CTA_Tile:$source);
  let results = (outs CTA_Tile:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
  let hasFolder = 1;
  let hasVerifier = 1;
}

def CTA_SliceOp : CTA_Op<"slice", [Pure],
    ["getLayoutRelations", "getNeededLayout", "getLayoutOrigin",
     "isMadeAgain"]> {
  let summary = "A part of a tile whose elements stay where they are";
  let description = [{
    The part of the result's shape that begins at `offsets`, multiples of its
    sizes. Each thread keeps what it holds of it:

    ```mlir
    %part = cta.slice %x [0, 16] : tensor<128x64xf16, #a> -> tensor<128x16xf16, #b>
    ```
  }];
  let arguments = (ins CTA_Tile:$source, DenseI64ArrayAttr:$offsets);
  let results = (outs CTA_Tile:$result);
  let assemblyFormat = [{
    $source $offsets attr-dict `:` type($source) `->` type($result)
  }];
  let hasVerifier = 1;
}

def CTA_InsertSliceOp : CTA_Op<"insert_slice", [Pure,
    AllTypesMatch<["dest", "result"]>],
    ["getLayoutRelations", "getNeededLayout", "getPossibleLayout"]> {
  let summary = "A tile of which one part is another tile";
  let description = [{
    The opposite of `cta.slice`: the part of the source's shape that begins at
    `offsets` is the source, the others are those of `dest`. Each thread holds
    the same elements of every part, so that nothing moves:

    ```mlir
    %both = cta.insert_slice %part into %x [0, 16]
      : tensor<128x16xf16, #b> into tensor<128x64xf16, #a>
    ```
  }];
  let arguments = (ins CTA_Tile:$source, CTA_Tile:$dest,
                       DenseI64ArrayAttr:$offsets);
  let results = (outs CTA_Tile:$result);
  let assemblyFormat = [{
    $source `into` $dest $offsets attr-dict
    `:` type($source) `into` type($dest)
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Shared memory
//===----------------------------------------------------------------------===//

def CTA_AllocOp : CTA_Op<"alloc", [MemoryEffects<[MemAlloc]>],
    ["getSharedBytes", "getNoun"]> {
  let summary = "Room for tiles in shared memory, until its last use";
  let description = [{
    It begins at a multiple of `alignment` bytes; by default, at the first bank.
  }];
  let arguments = (ins
    DefaultValuedAttr<ConfinedAttr<I64Attr, [IntPositive]>, "128">:$alignment);
  let results = (outs CTA_Buffer:$buffer);
  let assemblyFormat = "attr-dict `:` type($buffer)";
}

def CTA_WriteOp : CTA_Op<"write", [MemoryEffects<[MemWrite]>],
    ["getBufferUses"]> {
  let summary = "Put a tile into a slot of a buffer";
  let description = [{
    With `fenced`, products that read the buffer see it after the next barrier.
  }];
  let arguments = (ins CTA_Tile:$source, CTA_Buffer:$buffer, I32:$slot,
                       UnitAttr:$fenced);
  let assemblyFormat = [{
    $source `to` $buffer `[` $slot `]` (`fenced` $fenced^)? attr-dict
    `:` type($source) `to` type($buffer)
  }];
  let hasVerifier = 1;
}

def CTA_ReadOp : CTA_Op<"read", [MemoryEffects<[MemRead]>], ["getBufferUses"]> {
  let summary = "Take a tile, or the part of it that begins at `offsets`";
  let description = [{
    ```mlir
    %k = cta.read %keys[%slot] [0, 16] : !cta.buffer<2, 128x64xf16, #s>
           -> tensor<128x16xf16, #b>
    ```
  }];
  let arguments = (ins CTA_Buffer:$buffer, I32:$slot,
                       DenseI64ArrayAttr:$offsets);
  let results = (outs CTA_Tile:$result);
  let assemblyFormat = [{
    $buffer `[` $slot `]` $offsets attr-dict
    `:` type($buffer) `->` type($result)
  }];
  let hasVerifier = 1;
}

def CTA_TransposeBufferOp : CTA_Op<"transpose_buffer", [Pure]> {
  let summary = "The tiles of a buffer with their dimensions in another order";
  let description = [{
    Nothing moves: dimension `i` of the result is `permutation[i]` of the
    source, and each element lies where it did.

    ```mlir
    %t = cta.transpose_buffer %keys [1, 0]
      : !cta.buffer<2, 128x64xf16, #s> -> !cta.buffer<2, 64x128xf16, #t>
    ```
  }];
  let arguments = (ins CTA_Buffer:$source, DenseI64ArrayAttr:$permutation);
  let results = (outs CTA_Buffer:$result);
  let assemblyFormat = [{
    $source $permutation attr-dict `:` type($source) `->` type($result)
  }];
  let builders = [OpBuilder<(ins "Value":$source,
                                 "ArrayRef<int64_t>":$permutation)>];
  let hasVerifier = 1;
}

def CTA_CopyOp : CTA_Op<"copy", [MemoryEffects<[MemRead, MemWrite]>,
    SingleBlockImplicitTerminator<"YieldOp">], ["getBufferUses"]> {
  let summary = "Begin to load a tile into a slot of a buffer";
  let description = [{
    The region holds the load, whose tile never is in registers. It goes on
    while the program does, and has happened after the `cta.wait` that waits for
    its group. Nothing is loaded where `condition` is false.

    ```mlir
    cta.copy to %ring[%slot] if %more : !cta.buffer<3, 128x64xf16, #s> {
      %0 = tts.load %p[%o] strides [%s, 1] : memref<*xf16> -> tensor<128x64xf16, #l>
      cta.yield %0 : tensor<128x64xf16, #l>
    }
    ```
  }];
  let arguments = (ins CTA_Buffer:$buffer, I32:$slot, I1:$condition);
  let regions = (region SizedRegion<1>:$load);
  let assemblyFormat = [{
    `to` $buffer `[` $slot `]` `if` $condition attr-dict `:` type($buffer) $load
  }];
  let hasVerifier = 1;
}

def CTA_CommitOp : CTA_Op<"commit", [MemoryEffects<[MemWrite]>]> {
  let summary = "Make the copies since the last one a group";
  let assemblyFormat = "attr-dict";
}

def CTA_WaitOp : CTA_Op<"wait", [MemoryEffects<[MemRead, MemWrite]>],
    ["isBarrier"]> {
  let summary = "Wait for all groups of copies but the last ones";
  let description = [{
    Until the copies of every thread have arrived but for those of the last
    `pending` groups; all threads wait for each other. Products that read
    buffers see what was copied there.
  }];
  let arguments = (ins ConfinedAttr<I32Attr, [IntNonNegative]>:$pending);
  let assemblyFormat = "$pending attr-dict";
}

include "triton-shared/Dialect/Cta/IR/CtaBoxes.td"

//===----------------------------------------------------------------------===//
// Across elements
//===----------------------------------------------------------------------===//

def CTA_ReduceOp : CTA_Op<"reduce", [Pure,
    SingleBlockImplicitTerminator<"YieldOp">],
    ["getLayoutRelations", "getNeededLayout",
     "getLayoutOrigin", "getSharedBytes", "computesBeforeExchange",
     "getNoun"]> {
  let summary = "Combine the elements along one dimension";
  let description = [{
    The region takes what is combined so far, then the next elements, and is
    associative. Elements keep their order, so it need not be commutative.

    ```mlir
    %sum = cta.reduce %x axis 1 : (tensor<4x64xf32>) -> tensor<4xf32> {
    ^bb0(%left: f32, %right: f32):
      %0 = arith.addf %left, %right : f32
      cta.yield %0 : f32
    }
    ```

    With `spread`, lanes along the dimension do not all get the result: each
    gets a part of its elements, as `LinearLayout::spreadDimension` says. The
    region is commutative then.
  }];
  let arguments = (ins Variadic<CTA_Tile>:$sources, I64Attr:$axis,
                       UnitAttr:$spread);
  let results = (outs Variadic<CTA_Tile>:$results);
  let regions = (region SizedRegion<1>:$combine);
  let assemblyFormat = [{
    $sources `axis` $axis (`spread` $spread^)? attr-dict
    `:` functional-type($sources, $results) $combine
  }];
  let hasVerifier = 1;
}

def CTA_ScanOp : CTA_Op<"scan", [Pure,
    SingleBlockImplicitTerminator<"YieldOp">],
    ["getLayoutRelations", "getNeededLayout",
     "getSharedBytes", "computesBeforeExchange", "getNoun"]> {
  let summary = "Combine each element with all before it along one dimension";
  let description = [{
    Inclusive. With `reverse`, with all after it. The region is that of
    `cta.reduce`.
  }];
  let arguments = (ins Variadic<CTA_Tile>:$sources, I64Attr:$axis,
                       UnitAttr:$reverse);
  let results = (outs Variadic<CTA_Tile>:$results);
  let regions = (region SizedRegion<1>:$combine);
  let assemblyFormat = [{
    $sources `axis` $axis (`reverse` $reverse^)? attr-dict
    `:` functional-type($sources, $results)
    $combine
  }];
  let hasVerifier = 1;
}

def CTA_HistogramOp : CTA_Op<"histogram", [Pure],
    ["getLayoutRelations", "getNeededLayout",
     "getSharedBytes", "getNoun"]> {
  let summary = "How many elements have each value";
  let description = [{
    Result element `i` is the number of elements equal to `i`, of those whose
    mask is true. Elements are unsigned; one beyond the result counts nowhere.

    ```mlir
    %bins = cta.histogram %x mask %m : tensor<256xi1>
              : tensor<256xi32> -> tensor<16xi32>
    ```
  }];
  let arguments = (ins StaticShapeTensorOf<[AnySignlessInteger]>:$source,
                       Optional<StaticShapeTensorOf<[I1]>>:$mask);
  let results = (outs StaticShapeTensorOf<[I32, I64]>:$result);
  let assemblyFormat = [{
    $source (`mask` $mask^ `:` type($mask))? attr-dict
    `:` type($source) `->` type($result)
  }];
  let hasVerifier = 1;
}

include "triton-shared/Dialect/Cta/IR/CtaDots.td"

def CTA_RescaleOp : CTA_Op<"rescale", [Pure, SameOperandsAndResultType,
    Elementwise, Scalarizable, Vectorizable, Tensorizable],
    ["getLayoutRelations", "getNeededLayout"]> {
  let summary = "A product that most warps need not compute";
  let description = [{
    Elements times factors that are nearly always one: a warp all of whose
    factors are leaves its elements as they are.

    ```mlir
    %sum = cta.rescale %before by %factor : tensor<64x64xf32>
    ```
  }];
  let arguments = (ins StaticShapeTensorOf<[AnyFloat]>:$source,
                       StaticShapeTensorOf<[AnyFloat]>:$factor);
  let results = (outs StaticShapeTensorOf<[AnyFloat]>:$result);
  let assemblyFormat = "$source `by` $factor attr-dict `:` type($result)";
}

def CTA_OpaqueOp : CTA_Op<"opaque", [Pure, SameOperandsAndResultType]> {
  let summary = "A number that nobody may take for the one it is";
  let description = [{
    What is computed from it is not merged with what is computed from `source`,
    so that both stay where they stand.

    ```mlir
    %other = cta.opaque %scale : f32
    ```
  }];
  let arguments = (ins AnyFloat:$source);
  let results = (outs AnyFloat:$result);
  let assemblyFormat = "$source attr-dict `:` type($source)";
}

def CTA_WarpAnyOp : CTA_Op<"warp_any", [Pure,
    PredOpTrait<"asks about a tile", CPred<"$_op.getNumOperands() > 0">>]> {
  let summary = "Whether any element is true that a thread of the warp holds";
  let description = [{
    All threads of a warp get the same, different warps may get another: what is
    done only if it is true has no exchange between warps.

    ```mlir
    %again = cta.warp_any %none, %large : tensor<64xi1>, tensor<64xi1>
    ```
  }];
  let arguments = (ins Variadic<StaticShapeTensorOf<[I1]>>:$conditions);
  let results = (outs I1:$result);
  let assemblyFormat = "$conditions attr-dict `:` type($conditions)";
}

def CTA_MapOp : CTA_Op<"map", [RecursiveMemoryEffects,
    SingleBlockImplicitTerminator<"YieldOp">],
    ["getLayoutRelations", "getNeededLayout"]> {
  let summary = "Run a region once per element";
  let description = [{
    For bodies that are more than element-wise operations: loops, branches,
    calls. The region takes one element of each source.
  }];
  let arguments = (ins Variadic<CTA_Tile>:$sources);
  let results = (outs Variadic<CTA_Tile>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $sources attr-dict `:` functional-type($sources, $results) $body
  }];
  let hasVerifier = 1;
}

def CTA_YieldOp : CTA_Op<"yield", [Pure, Terminator, ReturnLike,
    ParentOneOf<["CopyOp", "ReduceOp", "ScanOp", "MapOp", "SpecializeOp",
                 "AllTurnsOp"]>]> {
  let summary = "What a region of this dialect computes";
  let arguments = (ins Variadic<AnyType>:$values);
  let builders = [OpBuilder<(ins), [{ build($_builder, $_state, ValueRange()); }]>];
  let assemblyFormat = "($values^ `:` type($values))? attr-dict";
}

#endif // TRITON_SHARED_DIALECT_CTA_OPS
