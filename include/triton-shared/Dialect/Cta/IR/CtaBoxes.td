//===- CtaBoxes.td - Copies by the copy engine of Hopper ---*- tablegen -*-===//
//
// TMA copies boxes of a tensor that a tensor map describes. One thread asks for
// a copy; it arrives at an `mbarrier` in shared memory, at which all wait. A part
// of CtaOps.td.
//
//===----------------------------------------------------------------------===//

#ifndef TRITON_SHARED_DIALECT_CTA_BOXES
#define TRITON_SHARED_DIALECT_CTA_BOXES

def CTA_TensorMap : Type<
    CPred<"::llvm::isa<::mlir::LLVM::LLVMPointerType>($_self)">,
    "the address of a tensor map">;

def CTA_Mbarriers : TypeDef<CTA_Dialect, "Mbarriers"> {
  let mnemonic = "mbarriers";
  let summary = "Barriers in shared memory, one for each slot of rings";
  let description = [{
    `!cta.mbarriers<3>`. The phase of each begins as 0 and changes whenever all
    that should has arrived. Source: PTX ISA, "mbarrier".
  }];
  let parameters = (ins "int64_t":$slots);
  let assemblyFormat = "`<` $slots `>`";
  let genVerifyDecl = 1;
}

def CTA_MbarriersOp : CTA_Op<"mbarriers", [MemoryEffects<[MemAlloc, MemWrite]>],
    ["getSharedBytes", "getNoun", "getBufferUses"]> {
  let summary = "Barriers at which `arrivals` arrive in each phase";
  let description = "Copies, warps or groups of four: what arrives at one.";
  let arguments = (ins ConfinedAttr<I32Attr, [IntPositive]>:$arrivals);
  let results = (outs CTA_Mbarriers:$mbarriers);
  let assemblyFormat = "`arrivals` $arrivals attr-dict `:` type($mbarriers)";
}

def CTA_InvalidateOp : CTA_Op<"invalidate", [MemoryEffects<[MemWrite]>],
    ["getBufferUses"]> {
  let summary = "The end of barriers at which nobody waits any more";
  let arguments = (ins CTA_Mbarriers:$mbarriers);
  let assemblyFormat = "$mbarriers attr-dict `:` type($mbarriers)";
}

def CTA_CopyBoxOp : CTA_Op<"copy_box", [MemoryEffects<[MemRead, MemWrite]>],
    ["getBufferUses"]> {
  let summary = "Begin to copy a box of a tensor into a slot of a buffer";
  let description = [{
    The box has the sizes of the buffer's tile, whose dimension `dims[i]` lies
    along dimension `i` of the tensor map, the outermost first. It begins at
    `start`, in elements of the tensor, and is zero outside of that. The copy is
    made of pieces of sizes `piece`, which is what the map says. It arrives at
    the barrier of the same slot. Nothing happens where `condition` is false.

    ```mlir
    cta.copy_box %map[%row, %column] dims [0, 1] by [128, 64]
      to %ring[%slot] at %full if %more
      : !llvm.ptr, !cta.buffer<3, 128x64xf16, #s>, !cta.mbarriers<3>
    ```
  }];
  let arguments = (ins CTA_TensorMap:$map, Variadic<I32>:$start,
                       DenseI64ArrayAttr:$dims, DenseI64ArrayAttr:$piece,
                       CTA_Buffer:$buffer, I32:$slot, CTA_Mbarriers:$mbarriers,
                       I1:$condition);
  let assemblyFormat = [{
    $map `[` $start `]` `dims` $dims `by` $piece `to` $buffer `[` $slot `]`
    `at` $mbarriers `if` $condition attr-dict
    `:` type($map) `,` type($buffer) `,` type($mbarriers)
  }];
  let hasVerifier = 1;
}

def CTA_MakeTensorMapOp : CTA_Op<"make_tensor_map",
    [AttrSizedOperandSegments, MemoryEffects<[MemAlloc]>]> {
  let summary = "A tensor map of numbers that the kernel computes";
  let description = [{
    What a launch does for tensors that it knows, one thread does here, the one
    that asks for copies: it writes the map to memory of its own. Base and
    strides are multiples of 16 bytes, or the kernel ends by `trap`; sizes are
    positive. Attributes are those of `#tts.tensor_map`; the stride of the last
    dimension, that of neighbours, is 1.

    ```mlir
    %map = cta.make_tensor_map %a sizes [%m, %k] strides [%lda]
      box [128, 64] swizzle 128 : memref<*xf16> -> !llvm.ptr
    ```

    `place` is where `cta-to-gpu` has found memory for it.
  }];
  let arguments = (ins AnyUnrankedMemRef:$base, Variadic<I64>:$sizes,
                       Variadic<I64>:$strides, Optional<CTA_TensorMap>:$place,
                       DenseI64ArrayAttr:$box, I64Attr:$swizzle,
                       UnitAttr:$isNanOutside);
  let results = (outs CTA_TensorMap:$map);
  let assemblyFormat = [{
    $base `sizes` `[` $sizes `]` `strides` `[` $strides `]` `box` $box
    `swizzle` $swizzle (`nan` $isNanOutside^)? (`at` $place^ `:` type($place))?
    attr-dict `:` type($base) `->` type($map)
  }];
  let hasVerifier = 1;
}

def CTA_PublishWritesOp : CTA_Op<"publish_writes",
    [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "The copy engine reads what threads have written to tensors";
  let description = [{
    What each thread has written to global memory is read by copies that are
    asked for after a barrier that follows.
  }];
  let assemblyFormat = "attr-dict";
}

def CTA_WaitMbarrierOp : CTA_Op<"wait_mbarrier",
    [MemoryEffects<[MemRead, MemWrite]>], ["getBufferUses"]> {
  let summary = "Wait until all that should has arrived in a phase";
  let description = [{
    Until the phase of the slot's barrier is no longer `phase`, which is 0 or 1.
    Each thread waits for itself.
  }];
  let arguments = (ins CTA_Mbarriers:$mbarriers, I32:$slot, I32:$phase);
  let assemblyFormat = [{
    $mbarriers `[` $slot `]` `phase` $phase attr-dict `:` type($mbarriers)
  }];
}

def CTA_ArriveOp : CTA_Op<"arrive", [MemoryEffects<[MemRead, MemWrite]>],
    ["getBufferUses"]> {
  let summary = "Each group of four warps arrives at the barrier of a slot";
  let description = [{
    What the group has waited for before has happened for who waits there; what
    a warp has read, if it arrives `by_warps`. Nothing happens where `condition`
    is false.
  }];
  let arguments = (ins CTA_Mbarriers:$mbarriers, I32:$slot, I1:$condition,
                       UnitAttr:$byWarps);
  let assemblyFormat = [{
    $mbarriers `[` $slot `]` `if` $condition (`by_warps` $byWarps^)? attr-dict
    `:` type($mbarriers)
  }];
}

def CTA_SpecializeOp : CTA_Op<"specialize", [RecursiveMemoryEffects,
    NoRegionArguments, SingleBlockImplicitTerminator<"YieldOp">],
    ["isBarrier"]> {
  let summary = "A warp that copies, beside those that compute";
  let description = [{
    All threads of the block wait for each other. Then one more warp than the
    program has runs `producer`, which holds scalars alone, and the program's
    warps run `consumers`. They meet at `!cta.mbarriers` only: a barrier in
    `consumers` is one of the program's warps.

    Four warps more (the function's `cta.producer_warps`) can leave registers to
    the others: three of them do nothing else.

    ```mlir
    cta.specialize producer {
      scf.for … {
        cta.wait_mbarrier %empty[%slot] phase %other : !cta.mbarriers<3>
        cta.copy_box %map[%row, %k] … to %ring[%slot] at %full if %true : …
      }
    } consumers {
      scf.for … {
        cta.wait_mbarrier %full[%slot] phase %phase : !cta.mbarriers<3>
        %d = cta.dot %ring[%slot], … 
        cta.arrive %empty[%slot] if %true : !cta.mbarriers<3>
      }
    }
    ```
  }];
  let regions = (region SizedRegion<1>:$producer, SizedRegion<1>:$consumers);
  let assemblyFormat = "`producer` $producer `consumers` $consumers attr-dict";
}

def CTA_AllTurnsOp : CTA_Op<"all_turns", [RecursiveMemoryEffects,
    SingleBlockImplicitTerminator<"YieldOp">]> {
  let summary = "Whether a condition holds in all turns of a loop";
  let description = [{
    The region gets the number of a turn, one of `first`, `first` + `step`, …
    before `end`, and says whether the condition holds there. It has scalars
    alone and no effect, and is not run for other numbers. The threads of a warp
    share the turns, and get the same result: it costs about as much as one turn
    does.

    ```mlir
    %inside = cta.all_turns from %c0 to %tiles step %programs : i32 {
    ^bb0(%tile: i32):
      %row = arith.divsi %tile, %across : i32
      %holds = arith.cmpi slt, %row, %last : i32
      cta.yield %holds : i1
    }
    ```
  }];
  let arguments = (ins I32:$first, I32:$end, I32:$step);
  let results = (outs I1:$result);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    `from` $first `to` $end `step` $step attr-dict `:` type($first) $body
  }];
  let hasRegionVerifier = 1;
}

def CTA_WaitTurnOp : CTA_Op<"wait_turn", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Wait until it is this group's turn to use the tensor cores";
  let description = [{
    Groups of four warps have turns one after the other: it is a group's turn
    when the one before has passed it on (`cta.pass_turn`), which all do equally
    often. With `first`, only the first group waits.
  }];
  let arguments = (ins UnitAttr:$first);
  let assemblyFormat = "(`first` $first^)? attr-dict";
}

def CTA_PassTurnOp : CTA_Op<"pass_turn", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Let the next group of four warps use the tensor cores";
  let description = [{
    After the last group comes the first one. With `first`, only that turn is
    passed on.
  }];
  let arguments = (ins UnitAttr:$first);
  let assemblyFormat = "(`first` $first^)? attr-dict";
}

def CTA_StoreBoxOp : CTA_Op<"store_box", [MemoryEffects<[MemRead, MemWrite]>],
    ["getBufferUses"]> {
  let summary = "Copy a slot of a buffer to a box of a tensor";
  let description = [{
    The opposite of `cta.copy_box`: what lies outside of the tensor is not
    written. The buffer has been read afterwards, of a copy that `goes_on` after
    `cta.wait_stores`; the tensor has been written when the kernel ends. What was
    written to the buffer before, `fenced`, and before a barrier, is what is
    copied.
  }];
  let arguments = (ins CTA_Buffer:$buffer, I32:$slot, CTA_TensorMap:$map,
                       Variadic<I32>:$start, DenseI64ArrayAttr:$dims,
                       DenseI64ArrayAttr:$piece, UnitAttr:$goesOn);
  let assemblyFormat = [{
    $buffer `[` $slot `]` `to` $map `[` $start `]` `dims` $dims `by` $piece
    (`goes_on` $goesOn^)? attr-dict `:` type($buffer) `,` type($map)
  }];
  let hasVerifier = 1;
}

def CTA_WaitStoresOp : CTA_Op<"wait_stores",
    [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Wait until copies that go on have read their buffers";
  let description = [{
    All but the last `pending` ones. The thread that has asked for them waits: a
    barrier follows. With `written` it waits until the tensors are written, too.
  }];
  let arguments = (ins
      DefaultValuedAttr<ConfinedAttr<I32Attr, [IntNonNegative]>, "0">:$pending,
      UnitAttr:$written);
  let assemblyFormat = "(`but` $pending^)? (`written` $written^)? attr-dict";
}

#endif // TRITON_SHARED_DIALECT_CTA_BOXES
