//===- FreshAccumulators.cpp - Products that begin with nothing -----------===//

#include "FreshAccumulators.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace {

/// An operand that assembly takes in the register of one of its results.
struct TiedOperand {
  Use *use;
  unsigned result;

  /// The number that it is; null if nobody knows.
  Constant *getConstant() const {
    auto *constant = dyn_cast<Constant>(*use);
    return isa_and_nonnull<UndefValue>(constant) ? nullptr : constant;
  }
  bool isZero() const {
    Constant *constant = getConstant();
    return constant && constant->isNullValue();
  }
  /// No register holds it before.
  void leaveOut() const { use->set(PoisonValue::get((*use)->getType())); }
};

} // namespace

static SmallVector<TiedOperand> findTied(CallInst &call,
                                         const InlineAsm &code) {
  SmallVector<TiedOperand> tied;
  unsigned operand = 0;
  for (const InlineAsm::ConstraintInfo &info : code.ParseConstraints()) {
    if (info.Type != InlineAsm::isInput)
      continue;
    Use &use = call.getArgOperandUse(operand++);
    unsigned result = 0;
    if (!info.Codes.empty() && to_integer(info.Codes.front(), result))
      tied.push_back({&use, result});
  }
  return tied;
}

/// A number that a fence or a wait gives out as it has taken it in is known
/// behind it, too.
static void passOn(CallInst &call, const TiedOperand &known) {
  Constant *value = known.getConstant();
  if (!call.getType()->isStructTy()) {
    call.replaceAllUsesWith(value);
  } else {
    for (User *user : make_early_inc_range(call.users()))
      if (auto *taken = dyn_cast<ExtractValueInst>(user);
          taken && taken->getIndices() == ArrayRef(known.result))
        taken->replaceAllUsesWith(value);
  }
  known.leaveOut();
}

/// Hides the number that `known` is from ptxas: nothing is set in it beside
/// what lanes are missing, and none is where a warpgroup multiplies.
static void hide(CallInst &call, const TiedOperand &known) {
  Type *type = (*known.use)->getType();
  StringRef word = type->isFloatTy() ? "f" : "r";
  InlineAsm *code =
      InlineAsm::get(FunctionType::get(type, {type}, false),
                     "{\n.reg .b32 missing;\nactivemask.b32 missing;\n"
                     "not.b32 missing, missing;\nor.b32 $0, missing, $1;\n}",
                     ("=" + word + "," + word).str(), /*hasSideEffects=*/true);
  known.use->set(CallInst::Create(code->getFunctionType(), code,
                                  {known.getConstant()}, "",
                                  call.getIterator()));
}

/// The first product of `text`, as WarpgroupDot.cpp writes it, adds to nothing.
static std::string beginWithNothing(StringRef text) {
  constexpr StringLiteral kAdds = "setp.ne.b32 p, 1, 0;\n";
  constexpr StringLiteral kBegins = "setp.ne.b32 p, 0, 0;\n";
  constexpr StringLiteral kProduct = "wgmma.mma_async";
  auto [before, products] = text.split(kAdds);
  size_t second = products.find(kProduct, kProduct.size());
  std::string result = (before + kBegins + products.take_front(second)).str();
  if (second != StringRef::npos)
    result += (kAdds + products.drop_front(second)).str();
  return result;
}

void mlir::triton_shared::refreshAccumulators(Module &module) {
  SmallVector<std::pair<CallInst *, InlineAsm *>> calls;
  for (Function &function : module)
    for (Instruction &instruction : instructions(function))
      if (auto *call = dyn_cast<CallInst>(&instruction))
        if (auto *code = dyn_cast<InlineAsm>(call->getCalledOperand());
            code && code->getAsmString().contains("wgmma."))
          calls.push_back({call, code});
  for (auto [call, code] : calls) {
    SmallVector<TiedOperand> tied = findTied(*call, *code);
    bool multiplies = code->getAsmString().contains("wgmma.mma_async");
    if (multiplies && !tied.empty() &&
        all_of(tied, [](const TiedOperand &sum) { return sum.isZero(); })) {
      for (const TiedOperand &zero : tied)
        zero.leaveOut();
      call->setCalledOperand(InlineAsm::get(
          code->getFunctionType(), beginWithNothing(code->getAsmString()),
          code->getConstraintString(), code->hasSideEffects()));
      continue;
    }
    auto treat = multiplies ? hide : passOn;
    for (const TiedOperand &operand : tied)
      if (operand.getConstant())
        treat(*call, operand);
  }
}
