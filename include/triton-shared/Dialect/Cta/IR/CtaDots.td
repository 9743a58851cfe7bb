//===- CtaDots.td - Matrix products of a CTA ---------------*- tablegen -*-===//
//
// One product of tiles or of what lies in shared memory, and the wait for those
// that go on meanwhile. Part of CtaOps.td.
//
//===----------------------------------------------------------------------===//

#ifndef TRITON_SHARED_DIALECT_CTA_DOTS
#define TRITON_SHARED_DIALECT_CTA_DOTS

def CTA_DotOp : CTA_Op<"dot", [AttrSizedOperandSegments,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
    DeclareOpInterfaceMethods<ConditionallySpeculatable>,
    AllTypesMatch<["accumulator", "result"]>],
    ["getLayoutRelations", "getNeededLayout", "getSharedBytes",
     "getBufferUses", "getNoun"]> {
  let summary = "A matrix product added to an accumulator";
  let description = [{
    `[batch x] M x K` times `[batch x] K x N`. Operands of other element types
    than the accumulator are extended first; `precision` says how f32 operands
    may be rounded, in the words of `tt.dot`. `instruction` is what computes it
    on tensor cores; without one, every thread does for its elements.

    Tensor cores of Hopper add up products of 8-bit floats with fewer bits than
    f32 has. So many along K as `imprecise` says may be added so; without it, no
    more than one instruction adds. A sum of these is added to the accumulator
    in f32.

    ```mlir
    %d = cta.dot %a, %b, %c : tensor<64x32xf16>, tensor<32x64xf16>
           -> tensor<64x64xf32> by #cta.mma<m16n8k16, f16>
    ```

    An operand is a tile, or lies in a slot of a buffer, unless the instruction
    takes it from registers:

    ```mlir
    %d = cta.dot %a[%slot], %b[%slot], %c
           : !cta.buffer<3, 64x32xf16, #s>, !cta.buffer<3, 32x64xf16, #t>
           -> tensor<64x64xf32> by #cta.wgmma<m64n64k16>
    ```

    One that `goes_on` has only begun, and its buffers are still read. Its result
    is for `cta.wait_dot`.
  }];
  let arguments = (ins AnyTypeOf<[CTA_Tile, CTA_Buffer]>:$a,
                       AnyTypeOf<[CTA_Tile, CTA_Buffer]>:$b,
                       CTA_Tile:$accumulator,
                       Optional<I32>:$aSlot, Optional<I32>:$bSlot,
                       OptionalAttr<StrAttr>:$precision,
                       OptionalAttr<ConfinedAttr<I32Attr, [IntPositive]>>
                         :$imprecise,
                       UnitAttr:$goesOn,
                       OptionalAttr<AnyAttrOf<[CTA_MmaAttr, CTA_WgmmaAttr]>>
                         :$instruction);
  let results = (outs CTA_Tile:$result);
  let assemblyFormat = [{
    $a (`[` $aSlot^ `]`)? `,` $b (`[` $bSlot^ `]`)? `,` $accumulator
    (`precision` $precision^)? (`imprecise` $imprecise^)?
    (`goes_on` $goesOn^)? attr-dict
    `:` type($a) `,` type($b) `->` type($result) (`by` $instruction^)?
  }];
  let builders = [
    OpBuilder<(ins "Value":$a, "Value":$b, "Value":$accumulator,
                   CArg<"StringAttr", "{}">:$precision,
                   CArg<"Attribute", "{}">:$instruction,
                   CArg<"IntegerAttr", "{}">:$imprecise)>,
  ];
  let extraClassDeclaration = [{
    /// The instruction, if it is that one; null otherwise.
    MmaAttr getMma();
    WgmmaAttr getWgmma();
    /// The sizes of an operand, be it a tile or in a buffer.
    static ArrayRef<int64_t> getOperandShape(Value operand);
    static Type getOperandElementType(Value operand);
    /// The dimension of an operand that the result has another one in the
    /// place of: K.
    static unsigned getCommonDim(OpOperand &operand);
    /// True if the instruction reads `operand` from shared memory.
    bool isReadFromShared(OpOperand &operand);
    /// How far along K `wgmma` adds up in registers of their own, before the
    /// accumulator gets the sum; nothing if it adds to the accumulator itself.
    std::optional<int64_t> getPartialDepth();
    LogicalResult verifyMma();
    LogicalResult verifyWgmma();
  }];
  let hasVerifier = 1;
}

def CTA_WaitDotOp : CTA_Op<"wait_dot", [SameOperandsAndResultType,
    MemoryEffects<[MemRead, MemWrite]>],
    ["getLayoutRelations", "getNeededLayout"]> {
  let summary = "The result of products that go on, when they have ended";
  let description = [{
    All products have ended but the last `pending` ones, of which the result may
    be one: that is the accumulator of the next product then, or waited for.
  }];
  let arguments = (ins CTA_Tile:$source,
      DefaultValuedAttr<ConfinedAttr<I32Attr, [IntNonNegative]>, "0">:$pending);
  let results = (outs CTA_Tile:$result);
  let assemblyFormat = "$source (`but` $pending^)? attr-dict `:` type($source)";
}

def CTA_MoveOp : CTA_Op<"move", [SameOperandsAndResultType,
    MemoryEffects<[MemRead, MemWrite]>],
    ["getLayoutRelations", "getNeededLayout"]> {
  let summary = "The same tile, in other registers from here on";
  let description = [{
    Behind a `cta.wait_dot`, for a tile that was computed while products went on
    and that the next ones read. Who goes on reads the registers of the tile
    before; ptxas would begin one product after the other otherwise (C7513).
  }];
  let arguments = (ins CTA_Tile:$source);
  let results = (outs CTA_Tile:$result);
  let assemblyFormat = "$source attr-dict `:` type($source)";
}

#endif // TRITON_SHARED_DIALECT_CTA_DOTS
