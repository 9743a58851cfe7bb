//===- TritonAttrs.td - The words of `tt` ------------------*- tablegen -*-===//
//
// The enums of the dialect. Numbers and words are Triton's, because the generic
// form prints the number and the pretty form the word.
//
//===----------------------------------------------------------------------===//

#ifndef TRITON_SHARED_DIALECT_TRITON_ATTRS
#define TRITON_SHARED_DIALECT_TRITON_ATTRS

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "triton-shared/Dialect/Triton/IR/TritonDialect.td"

class Triton_Enum<string cppName, string what, list<I32EnumAttrCase> cases>
    : I32EnumAttr<cppName, what, cases> {
  let cppNamespace = "::mlir::triton";
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

def TT_CacheModifierAttr : Triton_Enum<"CacheModifier",
    "a cache modifier", [
  I32EnumAttrCase<"NONE", 1, "none">, I32EnumAttrCase<"CA", 2, "ca">,
  I32EnumAttrCase<"CG", 3, "cg">,     I32EnumAttrCase<"WB", 4, "wb">,
  I32EnumAttrCase<"CS", 5, "cs">,     I32EnumAttrCase<"WT", 6, "wt">,
  I32EnumAttrCase<"CV", 7, "cv">]>;

def TT_EvictionPolicyAttr : Triton_Enum<"EvictionPolicy",
    "an eviction policy", [
  I32EnumAttrCase<"NORMAL", 1, "evict_normal">,
  I32EnumAttrCase<"EVICT_FIRST", 2, "evict_first">,
  I32EnumAttrCase<"EVICT_LAST", 3, "evict_last">]>;

def TT_CachePolicyAttr : AttrDef<Triton_Dialect, "CachePolicy"> {
  let mnemonic = "cache_policy";
  let summary = "Both cache hints of an access, as Triton prints them from 3.8";
  let parameters = (ins
    EnumParameter<TT_CacheModifierAttr>:$cache_modifier,
    EnumParameter<TT_EvictionPolicyAttr>:$eviction_policy);
  let assemblyFormat = "`<` struct(params) `>`";
}

def TT_PaddingOptionAttr : Triton_Enum<"PaddingOption",
    "what a block has outside the tensor", [
  I32EnumAttrCase<"PAD_ZERO", 1, "zero">,
  I32EnumAttrCase<"PAD_NAN", 2, "nan">]>;

def TT_MemSemanticAttr : Triton_Enum<"MemSemantic", "a memory order", [
  I32EnumAttrCase<"RELAXED", 1, "relaxed">,
  I32EnumAttrCase<"ACQUIRE", 2, "acquire">,
  I32EnumAttrCase<"RELEASE", 3, "release">,
  I32EnumAttrCase<"ACQUIRE_RELEASE", 4, "acq_rel">]>;

def TT_MemSyncScopeAttr : Triton_Enum<"MemSyncScope", "a memory scope", [
  I32EnumAttrCase<"GPU", 1, "gpu">, I32EnumAttrCase<"CTA", 2, "cta">,
  I32EnumAttrCase<"SYSTEM", 3, "sys">]>;

def TT_AtomicRMWAttr : Triton_Enum<"RMWOp", "an atomic update", [
  I32EnumAttrCase<"AND", 1, "and">,   I32EnumAttrCase<"OR", 2, "or">,
  I32EnumAttrCase<"XOR", 3, "xor">,   I32EnumAttrCase<"ADD", 4, "add">,
  I32EnumAttrCase<"FADD", 5, "fadd">, I32EnumAttrCase<"MAX", 6, "max">,
  I32EnumAttrCase<"MIN", 7, "min">,   I32EnumAttrCase<"UMAX", 8, "umax">,
  I32EnumAttrCase<"UMIN", 9, "umin">, I32EnumAttrCase<"XCHG", 10, "exch">]>;

def TT_DescriptorReduceKindAttr : Triton_Enum<"DescriptorReduceKind",
    "an update through a descriptor", [
  I32EnumAttrCase<"ADD", 1, "add">, I32EnumAttrCase<"MIN", 2, "min">,
  I32EnumAttrCase<"MAX", 3, "max">, I32EnumAttrCase<"INC", 4, "inc">,
  I32EnumAttrCase<"DEC", 5, "dec">, I32EnumAttrCase<"AND", 6, "and">,
  I32EnumAttrCase<"OR", 7, "or">,   I32EnumAttrCase<"XOR", 8, "xor">]>;

//===----------------------------------------------------------------------===//
// Programs and numbers
//===----------------------------------------------------------------------===//

def TT_ProgramDim : Triton_Enum<"ProgramIDDim", "a dimension of the grid", [
  I32EnumAttrCase<"X", 0, "x">, I32EnumAttrCase<"Y", 1, "y">,
  I32EnumAttrCase<"Z", 2, "z">]>;

def TT_RoundingModeAttr : Triton_Enum<"RoundingMode", "a rounding mode", [
  I32EnumAttrCase<"RTZ", 0, "rtz">, I32EnumAttrCase<"RTNE", 1, "rtne">]>;

def TT_PropagateNanAttr : Triton_Enum<"PropagateNan",
    "whose NaN reaches the result", [
  I32EnumAttrCase<"NONE", 0, "none">, I32EnumAttrCase<"ALL", 0xFFFF, "all">]>;

def TT_InputPrecisionAttr : Triton_Enum<"InputPrecision",
    "how a dot product may round its f32 operands", [
  I32EnumAttrCase<"TF32", 0, "tf32">, I32EnumAttrCase<"TF32x3", 1, "tf32x3">,
  I32EnumAttrCase<"IEEE", 2, "ieee">, I32EnumAttrCase<"BF16x3", 3, "bf16x3">,
  I32EnumAttrCase<"BF16x6", 4, "bf16x6">]>;

def TT_ScaleDotElemTypeAttr : Triton_Enum<"ScaleDotElemType",
    "the number format of a scaled operand", [
  I32EnumAttrCase<"E4M3", 0, "e4m3">, I32EnumAttrCase<"E5M2", 1, "e5m2">,
  I32EnumAttrCase<"E2M3", 2, "e2m3">, I32EnumAttrCase<"E3M2", 3, "e3m2">,
  I32EnumAttrCase<"E2M1", 4, "e2m1">, I32EnumAttrCase<"BF16", 5, "bf16">,
  I32EnumAttrCase<"FP16", 6, "fp16">]>;

#endif // TRITON_SHARED_DIALECT_TRITON_ATTRS
