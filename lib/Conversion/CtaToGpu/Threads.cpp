//===- Threads.cpp - What a thread knows about its elements ---------------===//

#include "Threads.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace mlir::triton_shared;
using cta::LinearLayout;

Value triton_shared::createI32(OpBuilder &builder, Location loc,
                               int64_t value) {
  return arith::ConstantIntOp::create(builder, loc, value, 32);
}

Value triton_shared::createI64(OpBuilder &builder, Location loc,
                               int64_t value) {
  return arith::ConstantIntOp::create(builder, loc, value, 64);
}

Value triton_shared::createThreadId(OpBuilder &builder, Location loc) {
  return NVVM::ThreadIdXOp::create(builder, loc, builder.getI32Type());
}

Value triton_shared::createLane(OpBuilder &builder, Location loc) {
  return arith::AndIOp::create(
      builder, loc, createThreadId(builder, loc),
      createI32(builder, loc, GpuTarget::kWarpSize - 1));
}

Value triton_shared::createWarp(OpBuilder &builder, Location loc) {
  return arith::ShRUIOp::create(builder, loc, createThreadId(builder, loc),
                                createI32(builder, loc, cta::kLaneBits));
}

void triton_shared::createBarrier(OpBuilder &builder, Location loc) {
  Operation *kernel = builder.getInsertionBlock()->getParentOp();
  if (!isa<FunctionOpInterface>(kernel))
    kernel = kernel->getParentOfType<FunctionOpInterface>();
  if (!cta::getNumProducerWarps(kernel)) {
    NVVM::Barrier0Op::create(builder, loc);
    return;
  }
  // Barrier 0 is that of the whole block.
  int64_t threads = *cta::getNumWarps(kernel) * GpuTarget::kWarpSize;
  NVVM::BarrierOp::create(builder, loc, TypeRange(), createI32(builder, loc, 1),
                          createI32(builder, loc, threads), {}, Value());
}

//===----------------------------------------------------------------------===//
// Coordinates
//===----------------------------------------------------------------------===//

/// Bits that lie side by side in both are moved together.
Value triton_shared::createCombination(OpBuilder &builder, Location loc,
                                       Value number,
                                       const LinearLayout::Bases &bases,
                                       unsigned dim) {
  Value sum;
  auto add = [&](Value part) {
    sum =
        sum ? arith::XOrIOp::create(builder, loc, sum, part).getResult() : part;
  };
  for (size_t k = 0; k < bases.size();) {
    int32_t first = bases[k][dim];
    if (first == 0) {
      ++k;
      continue;
    }
    size_t run = 1;
    bool isSingleBit = llvm::isPowerOf2_32(first);
    while (isSingleBit && k + run < bases.size() &&
           bases[k + run][dim] == first << run)
      ++run;
    Value bits = number;
    if (k > 0)
      bits = arith::ShRUIOp::create(builder, loc, bits,
                                    createI32(builder, loc, k));
    if (k + run < bases.size() || run == 1)
      bits = arith::AndIOp::create(builder, loc, bits,
                                   createI32(builder, loc, (1 << run) - 1));
    if (first != 1)
      bits = arith::MulIOp::create(builder, loc, bits,
                                   createI32(builder, loc, first));
    add(bits);
    k += run;
  }
  return sum;
}

Value triton_shared::createThreadCoordinate(OpBuilder &builder, Location loc,
                                            const LinearLayout &layout,
                                            unsigned dim) {
  Value ofLane = createCombination(builder, loc, createLane(builder, loc),
                                   layout.getLanes(), dim);
  Value ofWarp = createCombination(builder, loc, createWarp(builder, loc),
                                   layout.getWarps(), dim);
  if (ofLane && ofWarp)
    return arith::XOrIOp::create(builder, loc, ofLane, ofWarp);
  if (ofLane || ofWarp)
    return ofLane ? ofLane : ofWarp;
  return createI32(builder, loc, 0);
}

/// The bits of coordinate `dim` that lanes and warps may set.
static int32_t getThreadBits(const LinearLayout &layout, unsigned dim) {
  int32_t mask = 0;
  for (const LinearLayout::Bases *bases :
       {&layout.getLanes(), &layout.getWarps()})
    for (const cta::Coordinates &basis : *bases)
      mask |= basis[dim];
  return mask;
}

ElementCoordinates::ElementCoordinates(OpBuilder &builder, Location loc,
                                       const LinearLayout &layout,
                                       const cta::Coordinates &origin)
    : builder(builder), loc(loc), layout(layout), origin(origin) {
  for (unsigned dim = 0; dim < layout.getRank(); ++dim) {
    ofThread.push_back(createThreadCoordinate(builder, loc, layout, dim));
    threadBits.push_back(getThreadBits(layout, dim));
  }
}

void ElementCoordinates::flip(unsigned dim, Value by, int32_t bits) {
  ofThread[dim] = arith::XOrIOp::create(builder, loc, ofThread[dim], by);
  threadBits[dim] |= bits;
  made.clear();
}

Value ElementCoordinates::getChanged(unsigned dim, int32_t changed) {
  Value &value = made[{dim, changed}];
  if (!value)
    value = changed ? arith::XOrIOp::create(builder, loc, ofThread[dim],
                                            createI32(builder, loc, changed))
                    : ofThread[dim];
  return value;
}

int32_t ElementCoordinates::getOfRegister(unsigned reg, unsigned dim) const {
  int32_t ofRegister = layout.applyRegister(reg)[dim];
  return origin.empty() ? ofRegister : ofRegister ^ origin[dim];
}

std::pair<Value, int32_t> ElementCoordinates::split(unsigned reg,
                                                    unsigned dim) {
  int32_t ofRegister = getOfRegister(reg, dim);
  return {getChanged(dim, ofRegister & threadBits[dim]),
          ofRegister & ~threadBits[dim]};
}

Value ElementCoordinates::get(unsigned reg, unsigned dim) {
  int32_t ofRegister = getOfRegister(reg, dim);
  int32_t added = ofRegister & ~threadBits[dim];
  if (added == 0)
    return getChanged(dim, ofRegister);
  Value &value = made[{dim, ofRegister}];
  if (!value)
    value = arith::AddIOp::create(
        builder, loc, getChanged(dim, ofRegister & threadBits[dim]),
        createI32(builder, loc, added),
        arith::IntegerOverflowFlags::nsw | arith::IntegerOverflowFlags::nuw);
  return value;
}

/// The bits whose bases are zero: they do not change what is held.
static unsigned getFreeBits(const LinearLayout::Bases &bases) {
  unsigned mask = 0;
  for (auto [bit, basis] : llvm::enumerate(bases))
    if (llvm::all_of(basis, [](int32_t value) { return value == 0; }))
      mask |= 1u << bit;
  return mask;
}

Value triton_shared::createIsFirstHolder(OpBuilder &builder, Location loc,
                                         const LinearLayout &layout) {
  unsigned free = getFreeBits(layout.getLanes()) |
                  getFreeBits(layout.getWarps()) << cta::kLaneBits;
  if (!free)
    return nullptr;
  Value bits = arith::AndIOp::create(builder, loc, createThreadId(builder, loc),
                                     createI32(builder, loc, free));
  return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, bits,
                               createI32(builder, loc, 0));
}

//===----------------------------------------------------------------------===//
// Vectors of registers
//===----------------------------------------------------------------------===//

Type triton_shared::getRegisterType(Type elementType) {
  auto type = dyn_cast<FloatType>(elementType);
  return type && type.getWidth() == 8 ? IntegerType::get(type.getContext(), 8)
                                      : elementType;
}

SmallVector<Value> triton_shared::unpackRegisters(OpBuilder &builder,
                                                  Location loc, Value vector) {
  int64_t count = cast<VectorType>(vector.getType()).getNumElements();
  SmallVector<Value> elements;
  for (int64_t i = 0; i < count; ++i)
    elements.push_back(vector::ExtractOp::create(builder, loc, vector, i));
  return elements;
}

Value triton_shared::packRegisters(OpBuilder &builder, Location loc,
                                   ValueRange elements) {
  auto type = VectorType::get({static_cast<int64_t>(elements.size())},
                              elements.front().getType());
  return vector::FromElementsOp::create(builder, loc, type, elements);
}

Value triton_shared::shuffleRegisters(OpBuilder &builder, Location loc,
                                      Value vector,
                                      ArrayRef<unsigned> sources) {
  bool isIdentity = static_cast<int64_t>(sources.size()) ==
                    cast<VectorType>(vector.getType()).getNumElements();
  for (auto [i, source] : llvm::enumerate(sources))
    isIdentity &= i == source;
  if (isIdentity)
    return vector;
  SmallVector<int64_t> mask(sources.begin(), sources.end());
  return vector::ShuffleOp::create(builder, loc, vector, vector, mask);
}

Value triton_shared::createVectorSplat(OpBuilder &builder, Location loc,
                                       Value scalar, unsigned count) {
  return vector::BroadcastOp::create(
      builder, loc, VectorType::get({count}, scalar.getType()), scalar);
}

Value triton_shared::applyIntrinsic(OpBuilder &builder, Location loc,
                                    StringRef name, ValueRange operands,
                                    DictionaryAttr marks) {
  Type element = getElementTypeOrSelf(operands.front());
  auto apply = [&](ValueRange scalars) -> Value {
    auto call = LLVM::CallIntrinsicOp::create(
        builder, loc, element, builder.getStringAttr(name), scalars);
    if (marks)
      call->setDiscardableAttrs(marks);
    return call.getResult(0);
  };
  if (!isa<VectorType>(operands.front().getType()))
    return apply(operands);
  SmallVector<SmallVector<Value>> registers;
  for (Value operand : operands)
    registers.push_back(unpackRegisters(builder, loc, operand));
  SmallVector<Value> results;
  for (size_t reg = 0; reg < registers.front().size(); ++reg)
    results.push_back(apply(
        llvm::map_to_vector(registers, [&](const SmallVector<Value> &operand) {
          return operand[reg];
        })));
  return packRegisters(builder, loc, results);
}
