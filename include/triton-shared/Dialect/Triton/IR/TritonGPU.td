//===- TritonGPU.td - The barrier of `ttg` -----------------*- tablegen -*-===//
//
// What kernels use of Triton's GPU dialect: the barrier that Triton prints from
// 3.7 on, where it printed `gpu.barrier` before.
//
//===----------------------------------------------------------------------===//

#ifndef TRITON_SHARED_DIALECT_TRITON_GPU
#define TRITON_SHARED_DIALECT_TRITON_GPU

include "mlir/IR/EnumAttr.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def TritonGPU_Dialect : Dialect {
  let name = "ttg";
  let cppNamespace = "::mlir::triton::gpu";
  let summary = "What `tt` kernels use of Triton's GPU dialect";
  // It has neither here: the parsers say what to compile instead.
  let extraClassDeclaration = [{
    ::mlir::Attribute parseAttribute(::mlir::DialectAsmParser &parser,
                                     ::mlir::Type type) const override;
    ::mlir::Type parseType(::mlir::DialectAsmParser &parser) const override;
  }];
}

def TTG_Local : I32BitEnumAttrCaseBit<"Local", 0, "local">;
def TTG_GlobalRead : I32BitEnumAttrCaseBit<"GlobalRead", 1, "global_read">;
def TTG_GlobalWrite : I32BitEnumAttrCaseBit<"GlobalWrite", 2, "global_write">;
def TTG_TensorRead : I32BitEnumAttrCaseBit<"TensorRead", 3, "tensor_read">;
def TTG_TensorWrite : I32BitEnumAttrCaseBit<"TensorWrite", 4, "tensor_write">;

def TTG_AddrSpace : I32BitEnumAttr<"AddrSpace", "memories a barrier orders", [
  I32BitEnumAttrCaseNone<"None", "none">, TTG_Local, TTG_GlobalRead,
  TTG_GlobalWrite, TTG_TensorRead, TTG_TensorWrite,
  I32BitEnumAttrCaseGroup<"All", [TTG_Local, TTG_GlobalRead, TTG_GlobalWrite,
                                  TTG_TensorRead, TTG_TensorWrite], "all">]> {
  let cppNamespace = "::mlir::triton::gpu";
  let printBitEnumPrimaryGroups = 1;
}

def TTG_Memory : Resource<"::mlir::triton::GlobalMemory">;

def TTG_BarrierOp : Op<TritonGPU_Dialect, "barrier", [
    MemoryEffects<[MemRead<TTG_Memory>, MemWrite<TTG_Memory>]>]> {
  let summary = "All threads of a program wait for each other";
  let arguments = (ins TTG_AddrSpace:$addrSpace);
  let hasCustomAssemblyFormat = 1;
}

#endif // TRITON_SHARED_DIALECT_TRITON_GPU
