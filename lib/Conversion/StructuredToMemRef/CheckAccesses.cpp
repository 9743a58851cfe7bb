//===- CheckAccesses.cpp - Accesses ask whether they stay in their tensor -===//
//
// One comparison per access: its footprint lies between the first and the last
// byte of the argument that it starts from. Where it does not, the runtime
// looks at each element, and has the access go elsewhere.
//
//===----------------------------------------------------------------------===//

#include "AccessFootprint.h"
#include "AccessOrigin.h"
#include "AccessSite.h"
#include "Elements.h"
#include "RuntimeChecks.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "triton-shared/Conversion/NumberBits.h"
#include "triton-shared/Conversion/StructuredToMemRef.h"
#include "triton-shared/Dialect/Structured/IR/KernelSignature.h"

namespace mlir::triton_shared {
#define GEN_PASS_DEF_STRUCTUREDCHECKACCESSES
#include "triton-shared/Conversion/Passes.h.inc"
} // namespace mlir::triton_shared

using namespace mlir;
using namespace mlir::triton_shared;

namespace {

//===----------------------------------------------------------------------===//
// Calls of the runtime
//===----------------------------------------------------------------------===//

/// True for an access by which a program may learn what another one has done.
/// Nobody waits for what nobody asks for.
bool mayAcquire(tts::AccessOpInterface op) {
  std::optional<tts::MemoryOrder> order = op.getAtomicOrder();
  return order ? !op->use_empty() &&
                     llvm::is_contained({tts::MemoryOrder::Acquire,
                                         tts::MemoryOrder::AcquireRelease},
                                        *order)
               : op.isVolatile();
}

/// True if a kernel has such an access.
bool hasAcquire(tts::AccessOpInterface op) {
  return op->getParentOfType<func::FuncOp>()
      .walk([](tts::AccessOpInterface other) {
        return mayAcquire(other) ? WalkResult::interrupt()
                                 : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Of an access by a number that orders what programs have done.
constexpr int64_t kAcquires = 8;

/// The AccessFlags of runtime/check. Numbers are what locks and counters are
/// made of; what blocks of atomic accesses order is known to nobody.
int64_t getFlags(tts::AccessOpInterface op) {
  constexpr int64_t reads = 1, writes = 2, isAtomic = 4, acquires = kAcquires,
                    releases = 16, addsFloats = 32, mayAcquires = 64,
                    mayRelease = 128;
  std::optional<tts::MemoryOrder> order = op.getAtomicOrder();
  bool isNumber = !op.getTileType();
  if (!order && op.isVolatile())
    return reads | isAtomic | (isNumber ? acquires : mayAcquires);
  if (!order)
    return op.isWrite() ? writes : reads;
  int64_t flags = isAtomic | reads | (op.isWrite() ? writes : 0);
  auto update = dyn_cast<tts::AtomicRMWOp>(op.getOperation());
  if (update && isa<FloatType>(getElementTypeOrSelf(update.getValue())) &&
      update.getKind() == tts::AtomicKind::FAdd)
    flags |= addsFloats;
  bool isBoth = order == tts::MemoryOrder::AcquireRelease;
  if (mayAcquire(op))
    flags |= isNumber ? acquires : mayAcquires;
  if (op.isWrite() && (isBoth || order == tts::MemoryOrder::Release)) {
    if (isNumber)
      flags |= releases;
    else if (hasAcquire(op))
      flags |= mayRelease;
  }
  return flags;
}

/// True for an access that only writes, and not at offsets of its elements.
bool isStore(Operation *op) {
  auto access = dyn_cast<tts::AccessOpInterface>(op);
  return access && access.getStored() && !access.hasOffsetPerElement();
}

/// True unless strides alone say that no two elements lie at one address: each
/// reaches over all that smaller ones do.
bool mayMeet(ArrayRef<tts::DimensionAccess> dimensions,
             ArrayRef<int64_t> shape) {
  // Its amount, and how often it is taken.
  SmallVector<std::pair<int64_t, int64_t>> strides;
  for (auto [dimension, size] : llvm::zip_equal(dimensions, shape)) {
    if (size == 1)
      continue;
    std::optional<int64_t> stride = getConstantIntValue(dimension.stride);
    if (!stride)
      return true;
    strides.push_back({std::abs(*stride), size - 1});
  }
  llvm::sort(strides);
  int64_t reach = 0;
  for (auto [stride, times] : strides) {
    if (stride <= reach)
      return true;
    reach += stride * times;
  }
  return false;
}

/// True for a store of which several elements may lie at one address.
bool mayHaveDuplicates(tts::AccessOpInterface op) {
  if (!op.getStored() || !op.getTileType())
    return false;
  if (op.hasOffsetPerElement())
    return true;
  SmallVector<tts::DimensionAccess> dimensions = op.getDimensions();
  auto isNoRow = [](const tts::DimensionAccess &dimension) {
    return dimension.isWrapped() || dimension.isGathered();
  };
  return llvm::any_of(dimensions, isNoRow) ||
         mayMeet(dimensions, op.getTileType().getShape());
}

//===----------------------------------------------------------------------===//
// One function
//===----------------------------------------------------------------------===//

/// Puts checks before the accesses of a kernel.
class AccessChecker {
public:
  explicit AccessChecker(func::FuncOp function)
      : function(function), builder(function.getContext()),
        numWritten(tts::KernelSignature(function).getNumWritten()) {}

  void run() {
    SmallVector<tts::AccessOpInterface> accesses;
    function.walk([&](tts::AccessOpInterface op) { accesses.push_back(op); });
    auto type = UnrankedMemRefType::get(builder.getI64Type(), Attribute());
    (void)function.insertArgument(numWritten, type, nullptr, function.getLoc());
    views = function.getArgument(numWritten);
    program = tts::KernelSignature(function).findAll(tts::kProgramIds);
    for (tts::AccessOpInterface op : accesses)
      check(op);
    function.walk([&](gpu::BarrierOp op) { noteBarrier(op); });
    function.walk(
        [&](tts::NoteOp op) { lowerNote(builder, op, views, program); });
  }

private:
  /// Where a tensor lies, in elements of an access from its base on: those from
  /// `first` to before `end`. Both indices.
  struct Extent {
    Value first, end;
  };

  void check(tts::AccessOpInterface op);
  Value isInside(tts::AccessOpInterface op, const Extent &extent);
  Value askRuntime(tts::AccessOpInterface op, BlockArgument parameter);
  void nameElements(tts::AccessOpInterface op);
  void nameRows(tts::AccessOpInterface op, ElementAccess access,
                OpFoldResult stride);
  void moveBy(tts::AccessOpInterface op, Value distance);
  Value startFrom(tts::AccessOpInterface op, BlockArgument origin);
  Extent getExtent(BlockArgument parameter, int64_t elementBytes);
  bool isPassable(Operation *op);
  void setEarliestPoint(tts::AccessOpInterface op, const Extent &extent);
  void nameValues(tts::AccessOpInterface op);
  void finish(tts::AccessOpInterface op, Value distance);
  void noteBarrier(gpu::BarrierOp op);

  func::FuncOp function;
  OpBuilder builder;
  unsigned numWritten;
  /// What a launch says about the tensors, see runtime/check.
  BlockArgument views;
  /// The place of the program in the grid.
  SmallVector<Value> program;
  DenseMap<std::pair<Value, int64_t>, Extent> extents;
  /// Branches that belong to checks of stores.
  DenseSet<Operation *> ofStores;
};

/// The extents of all parameters are read at the beginning of a program.
AccessChecker::Extent AccessChecker::getExtent(BlockArgument parameter,
                                               int64_t elementBytes) {
  auto [found, isNew] = extents.try_emplace({parameter, elementBytes});
  if (!isNew)
    return found->second;
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(&function.front());
  Location loc = parameter.getLoc();
  Value bytes = arith::ConstantIndexOp::create(builder, loc, elementBytes);
  auto read = [&](int64_t place) -> Value {
    Value offset = arith::ConstantIntOp::create(builder, loc, place, 64);
    Value number =
        tts::LoadOp::create(builder, loc, builder.getI64Type(), views, offset,
                            ArrayRef<tts::DimensionAccess>(),
                            /*mask=*/Value(), /*other=*/Value());
    Value index = arith::IndexCastOp::create(builder, loc,
                                             builder.getIndexType(), number);
    return arith::FloorDivSIOp::create(builder, loc, index, bytes);
  };
  // Behind the address of the launch, two numbers per parameter.
  int64_t place = 1 + 2 * static_cast<int64_t>(parameter.getArgNumber());
  Value first = read(place);
  found->second = {first, read(place + 1)};
  return found->second;
}

Value AccessChecker::isInside(tts::AccessOpInterface op, const Extent &extent) {
  Location loc = op->getLoc();
  AccessFootprint footprint = measureFootprint(builder, op);
  auto compare = [&](arith::CmpIPredicate how, Value lhs, Value rhs) {
    return arith::CmpIOp::create(builder, loc, how, lhs, rhs);
  };
  return arith::AndIOp::create(
      builder, loc,
      compare(arith::CmpIPredicate::sge, footprint.low, extent.first),
      compare(arith::CmpIPredicate::slt, footprint.high, extent.end));
}

/// ```
/// tritonSharedCheckBegin(views, site, size, argument, flags, bytes, tensor,
///                        base, x, y, z)
/// tritonSharedCheckRow(offset, number, count, stride)   for each row, or
/// tritonSharedCheckElement(offset, number)   for each element that takes part
/// tritonSharedCheckEnd() -> by how many elements the access is to be moved
/// ```
Value AccessChecker::askRuntime(tts::AccessOpInterface op,
                                BlockArgument parameter) {
  Location loc = op->getLoc();
  Type i64 = builder.getI64Type();
  auto integer = [&](int64_t value) -> Value {
    return arith::ConstantIntOp::create(builder, loc, value, 64);
  };
  SmallVector<Value> operands = {
      tts::ToAddressOp::create(builder, loc, i64, views)};
  llvm::append_range(operands, textConstant(builder, op, describeSite(op)));
  operands.push_back(integer(parameter.getArgNumber()));
  operands.push_back(integer(getFlags(op)));
  operands.push_back(integer(getElementBytes(op)));
  for (Value start : {Value(parameter), op.getBase()})
    operands.push_back(tts::ToAddressOp::create(builder, loc, i64, start));
  llvm::append_range(operands, program);
  callCheck(builder, op, "tritonSharedCheckBegin", operands);
  nameElements(op);
  return callCheck(builder, op, "tritonSharedCheckEnd", {}, i64).getResult(0);
}

/// By how much neighbours along the last dimension of a block lie apart;
/// nothing if that is not the same for all, or not all of a row take part.
static std::optional<OpFoldResult> getRowStride(tts::AccessOpInterface op) {
  if (op.hasOffsetPerElement() || !op.getTileType() ||
      (op.getMask() && isa<RankedTensorType>(op.getMask().getType())))
    return std::nullopt;
  SmallVector<tts::DimensionAccess> dimensions = op.getDimensions();
  if (dimensions.empty() || dimensions.back().isWrapped() ||
      dimensions.back().isGathered())
    return std::nullopt;
  return dimensions.back().stride;
}

/// The offset and the number of the element at `indices`, both i64.
static SmallVector<Value> describeElement(OpBuilder &builder, Location loc,
                                          const ElementAccess &access,
                                          ValueRange indices) {
  Value offset = arith::IndexCastOp::create(
      builder, loc, builder.getI64Type(),
      indexValue(builder, loc, access.offsetOf(builder, loc, indices)));
  return {offset, numberOf(builder, loc, indices, access.shape)};
}

void AccessChecker::nameElements(tts::AccessOpInterface op) {
  ElementAccess access = accessOf(builder, op);
  if (std::optional<OpFoldResult> stride = getRowStride(op))
    return nameRows(op, std::move(access), *stride);
  forEachElement(builder, op->getLoc(), access,
                 [&](OpBuilder &inner, Location loc, ValueRange indices) {
                   callCheck(inner, op, "tritonSharedCheckElement",
                             describeElement(inner, loc, access, indices));
                 });
}

/// Names each row of a block by its first element.
void AccessChecker::nameRows(tts::AccessOpInterface op, ElementAccess access,
                             OpFoldResult stride) {
  Location loc = op->getLoc();
  auto asNumber = [&](OpFoldResult index) -> Value {
    return arith::IndexCastOp::create(builder, loc, builder.getI64Type(),
                                      indexValue(builder, loc, index));
  };
  Interval row = access.intervals.back();
  Value count = asNumber(subtractIndex(builder, loc, row.high, row.low));
  Value apart = asNumber(asIndex(builder, loc, stride));
  Value first = indexValue(builder, loc, row.low);
  ElementAccess rows = access;
  rows.shape = access.shape.drop_back();
  rows.intervals.pop_back();
  forEachElement(builder, loc, rows,
                 [&](OpBuilder &inner, Location innerLoc, ValueRange outer) {
                   SmallVector<Value> indices(outer);
                   indices.push_back(first);
                   SmallVector<Value> operands =
                       describeElement(inner, innerLoc, access, indices);
                   operands.append({count, apart});
                   callCheck(inner, op, "tritonSharedCheckRow", operands);
                 });
}

void AccessChecker::moveBy(tts::AccessOpInterface op, Value distance) {
  Location loc = op->getLoc();
  OpOperand &offset = op.getOffsetMutable();
  builder.setInsertionPoint(op);
  auto type = dyn_cast<RankedTensorType>(offset.get().getType());
  if (!type) {
    offset.set(arith::AddIOp::create(builder, loc, offset.get(), distance));
    return;
  }
  Value empty = tensor::EmptyOp::create(builder, loc, type.getShape(),
                                        type.getElementType());
  AffineMap map = builder.getMultiDimIdentityMap(type.getRank());
  SmallVector<utils::IteratorType> loops(type.getRank(),
                                         utils::IteratorType::parallel);
  auto sum = linalg::GenericOp::create(
      builder, loc, type, offset.get(), empty, ArrayRef{map, map}, loops,
      [&](OpBuilder &inner, Location innerLoc, ValueRange args) {
        linalg::YieldOp::create(
            inner, innerLoc,
            arith::AddIOp::create(inner, innerLoc, args[0], distance)
                .getResult());
      });
  offset.set(sum.getResult(0));
}

/// Has an access start less than an element behind `origin`, so that its
/// offsets are those of the tensor's elements. Returns by how many of these its
/// elements end later: 1, an index, if they lie between two of them, or 0.
Value AccessChecker::startFrom(tts::AccessOpInterface op,
                               BlockArgument origin) {
  builder.setInsertionPoint(op);
  Location loc = op->getLoc();
  Type i64 = builder.getI64Type();
  Value bytes =
      arith::ConstantIntOp::create(builder, loc, getElementBytes(op), 64);
  Value tensor = tts::ToAddressOp::create(builder, loc, i64, origin);
  Value start = tts::ToAddressOp::create(builder, loc, i64, op.getBase());
  Value distance = arith::SubIOp::create(builder, loc, start, tensor);
  Value elements = arith::FloorDivSIOp::create(builder, loc, distance, bytes);
  Value back = arith::MulIOp::create(builder, loc, elements, bytes);
  Value address = arith::SubIOp::create(builder, loc, start, back);
  op.getBaseMutable().set(tts::FromAddressOp::create(
      builder, loc, op.getBase().getType(), address));
  moveBy(op, elements);
  Value rest = arith::SubIOp::create(builder, loc, distance, back);
  Value one = arith::ConstantIntOp::create(builder, loc, 1, 64);
  return arith::IndexCastOp::create(
      builder, loc, builder.getIndexType(),
      arith::MinSIOp::create(builder, loc, rest, one));
}

/// True for what a store's check may stand before: computation, and other
/// stores. Reads have to be seen in their order.
bool AccessChecker::isPassable(Operation *op) {
  return isMemoryEffectFree(op) || isStore(op) || ofStores.contains(op);
}

/// Before what is stored is computed, if possible: it is computed in place only
/// if nothing but computation stands between that and the store.
void AccessChecker::setEarliestPoint(tts::AccessOpInterface op,
                                     const Extent &extent) {
  builder.setInsertionPoint(op);
  if (!isStore(op) || op.getMask() || mayHaveDuplicates(op))
    return;
  Operation *last = op->getPrevNode();
  while (last && isPassable(last) && last != extent.end.getDefiningOp())
    last = last->getPrevNode();
  auto isMovable = [&](Operation *other) {
    return other->getBlock() == op->getBlock() && other->getNumRegions() == 0 &&
           isMemoryEffectFree(other) && last && last->isBeforeInBlock(other) &&
           llvm::none_of(other->getOperandTypes(),
                         llvm::IsaPred<RankedTensorType>);
  };
  SetVector<Operation *> slice;
  BackwardSliceOptions options;
  options.inclusive = true;
  options.omitBlockArguments = true;
  options.filter = isMovable;
  for (Value operand : op->getOperands())
    if (operand != op.getStored()->get())
      (void)getBackwardSlice(operand, &slice, options);
  if (!last)
    return;
  for (Operation *moved : slice) {
    moved->moveAfter(last);
    last = moved;
  }
  builder.setInsertionPointAfter(last);
}

/// ```
/// token = tritonSharedCheckWantsValues()
/// tritonSharedCheckValue(token, bits)   for each element that takes part
/// tritonSharedCheckValuesEnd(token)
/// ```
void AccessChecker::nameValues(tts::AccessOpInterface op) {
  Location loc = op->getLoc();
  Type i64 = builder.getI64Type();
  builder.setInsertionPoint(op);
  Value token = callCheck(builder, op, "tritonSharedCheckWantsValues", {}, i64)
                    .getResult(0);
  Value zero = arith::ConstantIntOp::create(builder, loc, 0, 64);
  Value isWanted = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne,
                                         token, zero);
  auto branch = scf::IfOp::create(builder, loc, isWanted,
                                  /*withElseRegion=*/false);
  builder.setInsertionPointToStart(branch.thenBlock());
  ElementAccess access = accessOf(builder, op);
  forEachElement(
      builder, loc, access,
      [&](OpBuilder &inner, Location innerLoc, ValueRange indices) {
        Value bits =
            toBits(inner, innerLoc,
                   elementOf(inner, innerLoc, op.getStored()->get(), indices));
        if (bits.getType() != i64)
          bits = arith::ExtUIOp::create(inner, innerLoc, i64, bits);
        callCheck(inner, op, "tritonSharedCheckValue", {token, bits});
      });
  callCheck(builder, op, "tritonSharedCheckValuesEnd", {token});
}

/// What the runtime is told after an access.
void AccessChecker::finish(tts::AccessOpInterface op, Value distance) {
  Location loc = op->getLoc();
  builder.setInsertionPointAfter(op);
  if (getFlags(op) & kAcquires) {
    callCheck(builder, op, "tritonSharedCheckFinish", {distance}, {},
              /*writes=*/true);
    return;
  }
  Value zero = arith::ConstantIntOp::create(builder, loc, 0, 64);
  Value wasMoved = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne,
                                         distance, zero);
  auto branch = scf::IfOp::create(builder, loc, wasMoved,
                                  /*withElseRegion=*/false);
  builder.setInsertionPointToStart(branch.thenBlock());
  callCheck(builder, op, "tritonSharedCheckFinish", {distance}, {},
            /*writes=*/true);
  if (isStore(op))
    ofStores.insert(branch);
}

void AccessChecker::check(tts::AccessOpInterface op) {
  Location loc = op->getLoc();
  BlockArgument parameter = findOrigin(op, numWritten);
  if (!parameter)
    return;
  Value later;
  if (!findParameter(op.getBase(), numWritten))
    later = startFrom(op, parameter);
  Extent extent = getExtent(parameter, getElementBytes(op));
  if (later)
    extent.end = arith::SubIOp::create(builder, loc, extent.end, later);
  setEarliestPoint(op, extent);
  Value inside = isInside(op, extent);
  auto branch = scf::IfOp::create(builder, loc, builder.getI64Type(), inside,
                                  /*withElseRegion=*/true);
  builder.setInsertionPointToStart(branch.thenBlock());
  Value zero = arith::ConstantIntOp::create(builder, loc, 0, 64);
  scf::YieldOp::create(builder, loc, zero);
  builder.setInsertionPointToStart(branch.elseBlock());
  Value asked = askRuntime(op, parameter);
  scf::YieldOp::create(builder, loc, asked);
  if (isStore(op))
    ofStores.insert(branch);
  if (mayHaveDuplicates(op))
    nameValues(op);
  moveBy(op, branch.getResult(0));
  if (op.isWrite() || (getFlags(op) & kAcquires))
    finish(op, branch.getResult(0));
}

void AccessChecker::noteBarrier(gpu::BarrierOp op) {
  builder.setInsertionPoint(op);
  SmallVector<Value> operands = {tts::ToAddressOp::create(
      builder, op.getLoc(), builder.getI64Type(), views)};
  llvm::append_range(operands, program);
  callCheck(builder, op, "tritonSharedCheckBarrier", operands);
  op.erase();
}

struct StructuredCheckAccesses
    : triton_shared::impl::StructuredCheckAccessesBase<
          StructuredCheckAccesses> {
  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (function.isExternal())
        continue;
      if (tts::KernelSignature(function).hasProgram()) {
        AccessChecker(function).run();
        continue;
      }
      InFlightDiagnostic error = function.emitOpError("cannot be checked");
      error.attachNote() << "it lacks the program ids as its last arguments";
      error.attachNote() << "run 'triton-tensors-to-linalg' before this pass";
      return signalPassFailure();
    }
  }
};

} // namespace
