//===- Mbarriers.h - How barriers of copies lie in memory -------*- C++ -*-===//

#ifndef TRITON_SHARED_DIALECT_CTA_IR_MBARRIERS_H
#define TRITON_SHARED_DIALECT_CTA_IR_MBARRIERS_H

#include <cstdint>

namespace mlir::cta {

/// The bytes of one `mbarrier`, and the distance to the next of
/// `!cta.mbarriers`.
inline constexpr int64_t kMbarrierBytes = 8;

} // namespace mlir::cta

#endif // TRITON_SHARED_DIALECT_CTA_IR_MBARRIERS_H
