//===- ExchangeRounds.cpp - A tile that goes to threads in rounds ---------===//

#include "triton-shared/Layout/ExchangeRounds.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVectorExtras.h"

using namespace mlir::cta;
using llvm::ArrayRef;
using llvm::SmallVector;

/// The bit of the register index that alone stands for `bit` of `dim`.
static std::optional<unsigned> findOnlyRegister(const LinearLayout &layout,
                                                unsigned dim, int32_t bit) {
  auto has = [&](const Coordinates &basis) { return (basis[dim] & bit) != 0; };
  if (llvm::any_of(layout.getLanes(), has) ||
      llvm::any_of(layout.getWarps(), has) ||
      llvm::count_if(layout.getRegisters(), has) != 1)
    return std::nullopt;
  const auto *found = llvm::find_if(layout.getRegisters(), has);
  if (!findOnlyBit(*found))
    return std::nullopt;
  return found - layout.getRegisters().begin();
}

SmallVector<RoundBit> mlir::cta::findRoundBits(const LinearLayout &from,
                                               const LinearLayout &to) {
  SmallVector<RoundBit> found;
  for (unsigned reg = to.getRegisters().size(); reg-- > 0;) {
    const Coordinates &basis = to.getRegisters()[reg];
    std::optional<unsigned> dim = findOnlyBit(basis);
    if (!dim || findOnlyRegister(to, *dim, basis[*dim]) != reg)
      continue;
    if (auto given = findOnlyRegister(from, *dim, basis[*dim]))
      found.push_back({*given, reg, basis});
  }
  return found;
}

/// `value` without the bits of `removed`.
static int32_t squeeze(int32_t value, int32_t removed) {
  int32_t result = 0;
  for (int32_t bit = 1, next = 1; bit > 0 && bit <= value; bit *= 2) {
    if (removed & bit)
      continue;
    if (value & bit)
      result |= next;
    next *= 2;
  }
  return result;
}

/// `layout` of a tile without the coordinates' bits of `removed`, for each of
/// which there is a register that stands for nothing else.
static LinearLayout squeeze(const LinearLayout &layout,
                            const Coordinates &removed) {
  auto isRemoved = [&](const Coordinates &basis) {
    return llvm::any_of(llvm::zip_equal(basis, removed), [](auto pair) {
      return (std::get<0>(pair) & std::get<1>(pair)) != 0;
    });
  };
  auto squeezeAll = [&](const LinearLayout::Bases &bases) {
    return llvm::map_to_vector<0>(bases, [&](const Coordinates &basis) {
      Coordinates kept;
      for (auto [value, bits] : llvm::zip_equal(basis, removed))
        kept.push_back(squeeze(value, bits));
      return kept;
    });
  };
  LinearLayout::Bases registers = layout.getRegisters();
  llvm::erase_if(registers, isRemoved);
  return LinearLayout(layout.getRank(), squeezeAll(registers),
                      squeezeAll(layout.getLanes()),
                      squeezeAll(layout.getWarps()));
}

ExchangeRounds::ExchangeRounds(ArrayRef<int64_t> whole,
                               const LinearLayout &from, const LinearLayout &to,
                               ArrayRef<RoundBit> bits)
    : bits(bits), shape(whole) {
  Coordinates removed(from.getRank(), 0);
  for (const RoundBit &bit : bits)
    for (auto [dim, value] : llvm::enumerate(bit.basis)) {
      removed[dim] |= value;
      if (value)
        shape[dim] /= 2;
    }
  this->from = squeeze(from, removed);
  this->to = squeeze(to, removed);
}

/// The registers whose bits `fixed` have the value `round`, in their order.
static SmallVector<unsigned> select(unsigned registers,
                                    ArrayRef<unsigned> fixed, unsigned round) {
  SmallVector<unsigned> selected;
  for (unsigned reg = 0; reg < registers; ++reg) {
    bool matches = true;
    for (auto [index, bit] : llvm::enumerate(fixed))
      matches &= (reg >> bit & 1) == (round >> index & 1);
    if (matches)
      selected.push_back(reg);
  }
  return selected;
}

SmallVector<unsigned> ExchangeRounds::getGiven(unsigned round) const {
  return select(from.getNumRegisters() * count(),
                llvm::map_to_vector(bits, [](auto &bit) { return bit.from; }),
                round);
}

SmallVector<unsigned> ExchangeRounds::getTaken(unsigned round) const {
  return select(to.getNumRegisters() * count(),
                llvm::map_to_vector(bits, [](auto &bit) { return bit.to; }),
                round);
}
