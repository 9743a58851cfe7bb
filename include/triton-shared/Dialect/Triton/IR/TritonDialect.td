//===- TritonDialect.td - The textual twin of `tt` ---------*- tablegen -*-===//
//
// The dialect that Triton's front end emits, declared again so that the text of
// a pip wheel is read without building Triton. Names are Triton's: a conversion
// compiles against this dialect or against an embedding Triton tree.
//
//===----------------------------------------------------------------------===//

#ifndef TRITON_SHARED_DIALECT_TRITON_DIALECT
#define TRITON_SHARED_DIALECT_TRITON_DIALECT

include "mlir/IR/OpBase.td"

def Triton_Dialect : Dialect {
  let name = "tt";
  let cppNamespace = "::mlir::triton";
  let summary = "Kernels as Triton's front end writes them";
  let description = [{
    One program works on blocks: ranked tensors of numbers or of pointers.

    The text of Triton 3.5 to 3.9 is read. Where two versions spell the same
    thing differently, either spelling is read, and one is printed: the one that
    was asked for (`setTextVintage`), else the one that was read, else the older.

    | thing              | up to 3.7                             | from 3.8                                  |
    |--------------------|---------------------------------------|-------------------------------------------|
    | descriptor type    | `!tt.tensordesc<tensor<16x32xf32>>`   | `!tt.tensordesc<16x32xf32>`               |
    | cache hints        | `cacheModifier = ca evictionPolicy = evict_first` | `{cachePolicy = #tt.cache_policy<...>}` |
    | read-only pointer  | `!tt.ptr<f32, 4>`                     | `!tt.ptr<f32, "constant">`                |
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::math::MathDialect",
    "::mlir::scf::SCFDialect", "::mlir::cf::ControlFlowDialect",
    "::mlir::ub::UBDialect"
  ];
  let useDefaultTypePrinterParser = 1;
  let useDefaultAttributePrinterParser = 1;
  let hasConstantMaterializer = 1;
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
  let extraClassDeclaration = [{
    /// The spelling to print; see the table in the dialect's description.
    TextVintage getTextVintage() const;

    /// Asks for one spelling, whatever is read.
    void setTextVintage(TextVintage vintage) { requestedVintage = vintage; }

    /// Parsers report a spelling that only one vintage has.
    void noteParsedVintage(TextVintage vintage);

  private:
    void registerAttributes();
    void registerTypes();
    void registerOperations();

    std::optional<TextVintage> requestedVintage;
    std::atomic<bool> sawBefore38 = false, sawFrom38 = false;

  public:
  }];
}

#endif // TRITON_SHARED_DIALECT_TRITON_DIALECT
