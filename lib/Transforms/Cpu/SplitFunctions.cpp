//===- SplitFunctions.cpp - Long code in functions of bounded size --------===//
//
// Much of what a compiler does to a function takes time that grows faster than
// the function: the dominators of a sequence of loops change with each loop, a
// scheduler looks at pairs of accesses. A long kernel becomes calls of pieces,
// each of which is as long as an ordinary kernel, so that the time grows with
// their number.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "triton-shared/Transforms/Passes.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::triton_shared {
#define GEN_PASS_DEF_CPUSPLITFUNCTIONS
#include "triton-shared/Transforms/Passes.h.inc"
} // namespace mlir::triton_shared

using namespace mlir;
using namespace mlir::triton_shared;

namespace {

/// How far back what costs nothing is made again, in operations.
constexpr unsigned kMostRepeated = 16;

/// True for constants and for views of memory, which are made again in each
/// piece: as arguments they would hide whose memory they show.
bool isRepeatable(Operation *op) {
  return isMemoryEffectFree(op) &&
         (matchPattern(op, m_Constant()) ||
          isa<LLVM::PoisonOp, LLVM::UndefOp, LLVM::InsertValueOp, LLVM::GEPOp,
              UnrealizedConversionCastOp, ViewLikeOpInterface>(op));
}

bool isVariable(Operation *op) {
  return isa<memref::AllocaOp, LLVM::AllocaOp>(op);
}

/// A variable whose size is computed; it cannot come before that.
bool isSizedVariable(Operation *op) {
  return isVariable(op) && op->getNumOperands() != 0 &&
         !llvm::all_of(op->getOperands(), [](Value size) {
           return matchPattern(size, m_Constant());
         });
}

/// True for what may show memory.
bool isPointer(Type type) {
  return isa<BaseMemRefType, LLVM::LLVMPointerType, LLVM::LLVMStructType>(type);
}

/// True if what follows `user` may know a variable that it takes. What neither
/// reads nor writes is about the address: a view, an integer, the end of a
/// region whose operation then has it as a result.
bool handsOn(Operation *user) {
  return isMemoryEffectFree(user) ||
         llvm::any_of(user->getResultTypes(), isPointer);
}

/// Consecutive operations of a block on their way into a function.
class Piece {
public:
  Piece(func::FuncOp kernel, ArrayRef<Operation *> ops, StringRef name)
      : kernel(kernel), block(ops.front()->getBlock()),
        next(ops.back()->getNextNode()), builder(kernel) {
    for (Operation *op : ops)
      if (belongs(op))
        moved.insert(op);
    if (moved.empty())
      return;
    builder.setInsertionPointAfter(kernel);
    function = func::FuncOp::create(builder, moved.front()->getLoc(), name,
                                    builder.getFunctionType({}, {}));
    function.setPrivate();
    // LLVM would put a function of one caller back.
    function->setAttr("passthrough", builder.getStrArrayAttr({"noinline"}));
    function->setAttr(
        "llvm.linkage",
        LLVM::LinkageAttr::get(builder.getContext(), LLVM::Linkage::Internal));
  }

  void outline() {
    if (moved.empty())
      return;
    collectResults();
    Block *body = function.addEntryBlock();
    // Before all that is moved, so that what is made again comes first.
    for (Operation *op : moved)
      importOperands(op);
    for (Operation *op : moved)
      op->moveBefore(body, body->end());
    builder.setInsertionPointToEnd(body);
    func::ReturnOp::create(builder, function.getLoc(), results);
    function.setType(builder.getFunctionType(body->getArgumentTypes(),
                                             ValueRange(results).getTypes()));
    keepAliasFacts();
    call();
  }

private:
  /// False for what stays behind: what is made again where it is needed, and
  /// variables, which end with their function.
  bool belongs(Operation *op) const {
    if (isVariable(op))
      return false;
    return !isRepeatable(op) ||
           llvm::any_of(op->getOperands(), [&](Value operand) {
             Operation *maker = operand.getDefiningOp();
             return maker && moved.contains(maker);
           });
  }

  /// True if `op` is in the piece, or nested in something that is.
  bool contains(Operation *op) const {
    Operation *ancestor = op ? block->findAncestorOpInBlock(*op) : nullptr;
    return ancestor && moved.contains(ancestor);
  }

  void collectResults() {
    for (Operation *op : moved)
      for (Value result : op->getResults())
        if (llvm::any_of(result.getUsers(),
                         [&](Operation *user) { return !contains(user); }))
          results.push_back(result);
  }

  void importOperands(Operation *op) {
    op->walk([&](Operation *nested) {
      for (OpOperand &operand : nested->getOpOperands()) {
        Value value = operand.get();
        if (!contains(value.getParentBlock()->getParentOp()) &&
            !contains(value.getDefiningOp()))
          operand.set(import(value, /*depth=*/0));
      }
    });
  }

  /// `value` of outside as the piece has it: made again, or an argument.
  Value import(Value value, unsigned depth) {
    if (Value known = imported.lookupOrNull(value))
      return known;
    Operation *maker = value.getDefiningOp();
    if (!maker || depth == kMostRepeated ||
        !(isRepeatable(maker) || isOwnVariable(maker))) {
      Value argument =
          function.front().addArgument(value.getType(), value.getLoc());
      arguments.push_back(value);
      imported.map(value, argument);
      return argument;
    }
    for (Value operand : maker->getOperands())
      import(operand, depth + 1);
    OpBuilder atEnd = OpBuilder::atBlockEnd(&function.front());
    atEnd.clone(*maker, imported);
    return imported.lookup(value);
  }

  /// True for a variable that nobody else uses, also not in another turn of a
  /// loop, nor through what hands it on.
  bool isOwnVariable(Operation *op) const {
    return isVariable(op) && op->getBlock() == block && !isSizedVariable(op) &&
           llvm::all_of(op->getUsers(), [&](Operation *user) {
             return contains(user) && !handsOn(user);
           });
  }

  /// An argument that nothing else shows in the kernel is one that nothing else
  /// shows here, unless other memory comes along, of which that is not known.
  void keepAliasFacts() {
    auto isParameter = [&](Value value) {
      return llvm::is_contained(kernel.getArguments(), value);
    };
    if (llvm::any_of(arguments, [&](Value value) {
          return isPointer(value.getType()) && !isParameter(value);
        }))
      return;
    StringRef name = LLVM::LLVMDialect::getNoAliasAttrName();
    for (auto [number, value] : llvm::enumerate(arguments))
      if (isPointer(value.getType()))
        if (Attribute fact = kernel.getArgAttr(
                cast<BlockArgument>(value).getArgNumber(), name))
          function.setArgAttr(number, name, fact);
  }

  void call() {
    builder.setInsertionPoint(next);
    auto made =
        func::CallOp::create(builder, function.getLoc(), function, arguments);
    for (auto [inside, outside] : llvm::zip_equal(results, made.getResults()))
      inside.replaceUsesWithIf(outside, [&](OpOperand &use) {
        return !function->isAncestor(use.getOwner());
      });
  }

  func::FuncOp kernel;
  Block *block;
  /// What follows.
  Operation *next;
  OpBuilder builder;
  func::FuncOp function;
  llvm::SmallSetVector<Operation *, 16> moved;
  /// Values of outside, and what the piece knows them as.
  SmallVector<Value> arguments;
  IRMapping imported;
  SmallVector<Value> results;
};

struct CpuSplitFunctions
    : triton_shared::impl::CpuSplitFunctionsBase<CpuSplitFunctions> {
  using CpuSplitFunctionsBase::CpuSplitFunctionsBase;

  void runOnOperation() override {
    SmallVector<func::FuncOp> functions(getOperation().getOps<func::FuncOp>());
    for (func::FuncOp function : functions)
      if (!function.isDeclaration()) {
        unsigned pieces = 0;
        split(function, function.front(), pieces);
      }
  }

private:
  /// Returns how many operations are left in `block`, with all that is nested.
  int64_t split(func::FuncOp kernel, Block &block, unsigned &pieces) {
    SmallVector<std::pair<Operation *, int64_t>> sizes;
    int64_t total = 0;
    for (Operation &op : block) {
      int64_t size = 1;
      for (Region &region : op.getRegions())
        for (Block &nested : region)
          size += split(kernel, nested, pieces);
      sizes.emplace_back(&op, size);
      total += size;
    }
    if (total <= most)
      return total;
    SmallVector<SmallVector<Operation *>> parts(1);
    int64_t held = 0;
    for (auto [op, size] : ArrayRef(sizes).drop_back()) {
      bool staysHere = isSizedVariable(op);
      if ((held + size > piece && !parts.back().empty()) || staysHere) {
        parts.emplace_back();
        held = 0;
      }
      if (staysHere)
        continue;
      parts.back().push_back(op);
      held += size;
    }
    for (ArrayRef<Operation *> part : parts)
      if (!part.empty()) {
        std::string name = (kernel.getName() + ".piece").str();
        Piece(kernel, part, name + std::to_string(pieces++)).outline();
      }
    return parts.size();
  }
};

} // namespace
