//===- CallTensorCores.cpp - Products as on a GPU, by the runtime ---------===//
//
// What is multiplied lies in memory by now. The runtime gets addresses, strides
// and what the instruction of the GPU does; it knows no shapes.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "triton-shared/Conversion/GpuProduct.h"
#include "triton-shared/Conversion/LinalgToCpu.h"
#include "triton-shared/Conversion/StructuredToMemRef.h"

namespace mlir::triton_shared {
#define GEN_PASS_DEF_CPUCALLTENSORCORES
#include "triton-shared/Conversion/Passes.h.inc"
} // namespace mlir::triton_shared

using namespace mlir;
using namespace mlir::triton_shared;

/// The runtime's function.
static constexpr StringLiteral kFunction = "tritonSharedTensorCoreDot";

namespace {

/// A matrix, or a batch of them, in memory.
class Matrix {
public:
  Matrix(OpBuilder &builder, Location loc, Value buffer)
      : type(cast<MemRefType>(buffer.getType())) {
    auto parts = memref::ExtractStridedMetadataOp::create(builder, loc, buffer);
    Value address =
        memref::ExtractAlignedPointerAsIndexOp::create(builder, loc, buffer);
    strides.assign(parts.getStrides().begin(), parts.getStrides().end());
    begin = advance(builder, loc, address, parts.getOffset());
  }

  Value getStride(unsigned dimension) const { return strides[dimension]; }

  /// Where the matrix `number` of a batch begins; null for the only one.
  Value getBegin(OpBuilder &builder, Location loc, Value number) const {
    if (!number)
      return begin;
    return advance(
        builder, loc, begin,
        arith::MulIOp::create(builder, loc, number, strides.front()));
  }

  int32_t getFormat() const {
    return *findFormat(nameFormat(type.getElementType()));
  }

private:
  Value advance(OpBuilder &builder, Location loc, Value address,
                Value elements) const {
    Value bytes = arith::ConstantIndexOp::create(
        builder, loc, type.getElementTypeBitWidth() / 8);
    Value distance = arith::MulIOp::create(builder, loc, elements, bytes);
    return arith::AddIOp::create(builder, loc, address, distance);
  }

  MemRefType type;
  SmallVector<Value> strides;
  Value begin;
};

/// The arguments of a call.
class Arguments {
public:
  Arguments(OpBuilder &builder, Location loc) : builder(builder), loc(loc) {}

  void addIndex(Value value) {
    values.push_back(
        arith::IndexCastOp::create(builder, loc, builder.getI64Type(), value));
  }
  void addNumber(int64_t number) {
    values.push_back(arith::ConstantIntOp::create(builder, loc, number, 32));
  }
  /// The last two dimensions of `matrix`.
  void addMatrix(const Matrix &matrix, Value begin, unsigned rank) {
    addIndex(begin);
    addIndex(matrix.getStride(rank - 2));
    addIndex(matrix.getStride(rank - 1));
  }
  ValueRange get() const { return values; }

private:
  OpBuilder &builder;
  Location loc;
  SmallVector<Value> values;
};

/// Computes one matrix, the `number`th of a batch if there is one.
void callFor(OpBuilder &builder, linalg::LinalgOp op, const GpuProduct &product,
             ArrayRef<Matrix> matrices, Value number) {
  Location loc = op.getLoc();
  Value a = op->getOperand(0), result = op->getOperand(2);
  unsigned rank = cast<MemRefType>(a.getType()).getRank();
  Arguments arguments(builder, loc);
  for (const Matrix &matrix : matrices) {
    arguments.addMatrix(matrix, matrix.getBegin(builder, loc, number), rank);
    arguments.addNumber(matrix.getFormat());
  }
  auto size = [&](Value matrix, unsigned dimension) -> Value {
    return builder.createOrFold<memref::DimOp>(loc, matrix, dimension);
  };
  arguments.addIndex(size(result, rank - 2));
  arguments.addIndex(size(result, rank - 1));
  arguments.addIndex(size(a, rank - 1));
  for (StringRef format : {StringRef(product.left), StringRef(product.right),
                           StringRef(product.sum)})
    arguments.addNumber(*findFormat(format));
  for (int64_t parameter :
       {product.block, product.fraction, product.result, product.part})
    arguments.addNumber(parameter);
  ValueRange values = arguments.get();
  func::CallOp::create(
      builder, loc,
      declareRuntimeFunction(builder, op, kFunction, values.getTypes(), {}),
      values);
}

struct CpuCallTensorCores
    : triton_shared::impl::CpuCallTensorCoresBase<CpuCallTensorCores> {
  void runOnOperation() override {
    SmallVector<linalg::LinalgOp> products;
    getOperation()->walk([&](linalg::LinalgOp op) {
      if (GpuProduct::read(op))
        products.push_back(op);
    });
    for (linalg::LinalgOp op : products) {
      lower(op, *GpuProduct::read(op));
      op.erase();
    }
  }

private:
  static void lower(linalg::LinalgOp op, const GpuProduct &product) {
    OpBuilder builder(op);
    Location loc = op.getLoc();
    SmallVector<Matrix> matrices;
    for (Value operand : op->getOperands())
      matrices.emplace_back(builder, loc, operand);
    Value result = op->getOperand(2);
    if (cast<MemRefType>(result.getType()).getRank() == 2)
      return callFor(builder, op, product, matrices, nullptr);
    Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
    Value one = arith::ConstantIndexOp::create(builder, loc, 1);
    Value count = builder.createOrFold<memref::DimOp>(loc, result, 0);
    auto loop = scf::ForOp::create(builder, loc, zero, count, one);
    builder.setInsertionPointToStart(loop.getBody());
    callFor(builder, op, product, matrices, loop.getInductionVar());
  }
};

} // namespace
