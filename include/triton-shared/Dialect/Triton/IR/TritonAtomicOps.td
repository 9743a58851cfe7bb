//===- TritonAtomicOps.td - Memory shared by programs ------*- tablegen -*-===//
//
// Reads, writes and updates that other programs may do at the same time.
//
//===----------------------------------------------------------------------===//

#ifndef TRITON_SHARED_DIALECT_TRITON_ATOMICOPS
#define TRITON_SHARED_DIALECT_TRITON_ATOMICOPS

include "triton-shared/Dialect/Triton/IR/TritonOpBase.td"

class TT_AtomicOp<string opMnemonic, list<Trait> opTraits>
    : TT_Op<opMnemonic,
            !listconcat([MemoryEffects<[MemRead<TT_GlobalMemory>,
                                        MemWrite<TT_GlobalMemory>]>],
                        opTraits)>;

def TT_ResultIsPointee : TT_Derived<
    "the result has the type that the pointer points to",
    "ptr", "result", "getPointeeType">;
def TT_ValueIsPointee : TT_Derived<
    "the value has the type that the pointer points to",
    "ptr", "val", "getPointeeType">;
def TT_MaskMatchesPtr : TT_DerivedOptional<
    "the mask has an i1 for each element",
    "ptr", "mask", "getMaskType">;

def TT_AtomicRMWOp : TT_AtomicOp<"atomic_rmw", [
    TT_ResultIsPointee, TT_ValueIsPointee, TT_MaskMatchesPtr]> {
  let summary = "Updates memory, and returns what was there";
  let description = [{
    Where the mask is 0, memory is not touched and the result is undefined.
    `add` to `umin` and the bit operations want integers, `fadd` floats, `exch`
    takes either.
  }];
  let arguments = (ins TT_AtomicRMWAttr:$atomic_rmw_op, TT_PtrLike:$ptr,
                       TT_Type:$val, Optional<TT_BoolLike>:$mask,
                       TT_MemSemanticAttr:$sem, TT_MemSyncScopeAttr:$scope);
  let results = (outs TT_Type:$result);
  let assemblyFormat = [{
    $atomic_rmw_op `,` $sem `,` $scope `,` $ptr `,` $val (`,` $mask^)? attr-dict
    `:` functional-type(operands, $result)
  }];
  let hasVerifier = 1;
}

def TT_AtomicCASOp : TT_AtomicOp<"atomic_cas", [
    TT_ResultIsPointee, TT_ValueIsPointee,
    TT_Derived<"the expected value has the type that the pointer points to",
               "ptr", "cmp", "getPointeeType">]> {
  let summary = "Writes `val` where memory holds `cmp`, and returns what was there";
  let arguments = (ins TT_PtrLike:$ptr, TT_Type:$cmp, TT_Type:$val,
                       TT_MemSemanticAttr:$sem, TT_MemSyncScopeAttr:$scope);
  let results = (outs TT_Type:$result);
  let assemblyFormat = [{
    $sem `,` $scope `,` $ptr `,` $cmp `,` $val attr-dict
    `:` functional-type(operands, $result)
  }];
}

def TT_AtomicLoadOp : TT_AtomicOp<"atomic_load", [
    TT_ResultIsPointee, TT_MaskMatchesPtr]> {
  let summary = "Reads memory that other programs write";
  let arguments = (ins TT_PtrLike:$ptr, Optional<TT_BoolLike>:$mask,
                       TT_MemSemanticAttr:$sem, TT_MemSyncScopeAttr:$scope);
  let results = (outs TT_Type:$result);
  let assemblyFormat = [{
    $sem `,` $scope `,` $ptr (`,` $mask^)? attr-dict
    `:` functional-type(operands, $result)
  }];
  let hasVerifier = 1;
}

def TT_AtomicStoreOp : TT_AtomicOp<"atomic_store", [
    TT_Derived<"the value has the type that the pointer points to",
               "ptr", "value", "getPointeeType">,
    TT_MaskMatchesPtr]> {
  let summary = "Writes memory that other programs read";
  let arguments = (ins TT_PtrLike:$ptr, TT_Type:$value,
                       Optional<TT_BoolLike>:$mask,
                       TT_MemSemanticAttr:$sem, TT_MemSyncScopeAttr:$scope);
  let assemblyFormat = [{
    $sem `,` $scope `,` $ptr `,` $value (`,` $mask^)? attr-dict `:` type($ptr)
  }];
  let hasVerifier = 1;
}

def TT_AtomicPollOp : TT_AtomicOp<"atomic_poll", [
    TT_Derived<"the expected value has the type that the pointer points to",
               "ptr", "expected", "getPointeeType">]> {
  let summary = "Waits until memory holds a value";
  let description = [{
    The result is 1 if the value was seen, 0 if `timeout` nanoseconds passed
    before.
  }];
  let arguments = (ins TT_PtrLike:$ptr, TT_IntLike:$expected, Optional<I64>:$timeout,
                       TT_MemSemanticAttr:$sem, TT_MemSyncScopeAttr:$scope);
  let results = (outs TT_BoolLike:$result);
  let assemblyFormat = [{
    $sem `,` $scope `,` $ptr `,` $expected (`timeout` $timeout^)? attr-dict
    `:` type($ptr) `,` type($expected) `->` type($result)
  }];
  let hasVerifier = 1;
}

#endif // TRITON_SHARED_DIALECT_TRITON_ATOMICOPS
