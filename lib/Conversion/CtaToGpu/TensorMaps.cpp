//===- TensorMaps.cpp - Tensor maps that a kernel makes -------------------===//
//
// A map lies in global memory, where the copy engine reads it. There is a room
// for each block that a multiprocessor may run at once, in memory of the
// module, so that a launch need not bring any: at the beginning each thread
// that asks for copies takes a room that is free, and gives it back at the end.
// A word for each multiprocessor has a bit for each of its rooms, and one that
// says whether the room has had an owner. Nobody else writes there, so what a
// map does not name stays zero, and what is known before the kernel runs is
// written by the first owner of a room alone.
//
// Who makes a map is who asks for copies by it, so that fences of one thread
// order both. A fence waits until memory has all that was written: maps that
// are made one after the other have one. Source: PTX ISA, "tensormap.replace"
// and "fence.proxy".
//
//===----------------------------------------------------------------------===//

#include "Boxes.h"
#include "Threads.h"
#include "Topics.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "triton-shared/Dialect/Structured/IR/KernelSignature.h"
#include "triton-shared/Transforms/InlinePtx.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::triton_shared;

namespace {

constexpr unsigned kGlobalSpace = 1;
/// What instructions that write and read a map in global memory ask for.
constexpr unsigned kPlaceAlignment = 128;

/// Words of rooms, a power of two: multiprocessors whose numbers differ by
/// this share one, and wait for each other if that is full.
constexpr int64_t kWords = 256;
/// Rooms of a word. No multiprocessor runs more blocks at once, of those that
/// copy for products.
constexpr int64_t kRoomsOfWord = 32;

//===----------------------------------------------------------------------===//
// Rooms
//===----------------------------------------------------------------------===//

/// Takes rooms for the maps of one kernel.
class Rooms {
public:
  Rooms(gpu::GPUFuncOp kernel, int64_t numMaps)
      : kernel(kernel), builder(kernel.getContext()), loc(kernel.getLoc()),
        roomBytes(numMaps * tts::kTensorMapBytes) {}

  /// The address of the room of this thread, if it asks for copies.
  Value take() {
    std::string name = kernel.getName().str();
    builder.setInsertionPointToStart(&kernel.getBody().front());
    Value rooms =
        createMemory(name + "_tensor_maps", kWords * kRoomsOfWord * roomBytes);
    words = createMemory(name + "_tensor_map_rooms", kWords * kWordBytes);
    Value zero = createI32(builder, loc, 0), none = createI64(builder, loc, 0);
    auto taken = scf::IfOp::create(
        builder, loc,
        createIsAsking(builder, kernel.getBody().front().getTerminator()),
        [&](OpBuilder &inside, Location) {
          Value number = createWordNumber(inside);
          auto [bit, before] =
              takeBit(inside, createWordAddress(inside, number));
          createFence(inside, LLVM::AtomicOrdering::acquire);
          scf::YieldOp::create(inside, loc, {number, bit, before});
        },
        [&](OpBuilder &inside, Location) {
          scf::YieldOp::create(inside, loc, {zero, none, none});
        });
    number = taken.getResult(0);
    bit = taken.getResult(1);
    before = taken.getResult(2);
    builder.setInsertionPointAfter(taken);
    Value first = arith::MulIOp::create(builder, loc, number,
                                        createI32(builder, loc, kRoomsOfWord));
    Value inWord = arith::TruncIOp::create(
        builder, loc, builder.getI32Type(),
        math::CountTrailingZerosOp::create(builder, loc, bit));
    Value room = arith::AddIOp::create(builder, loc, first, inWord);
    Value bytes = arith::MulIOp::create(builder, loc, room,
                                        createI32(builder, loc, roomBytes));
    return advance(builder, rooms, bytes);
  }

  /// That this thread asks for copies, and is the first owner of its room.
  Value createIsFirst(OpBuilder &at) {
    Value had = arith::AndIOp::create(at, loc, before, createHadOwner(at));
    Value isNew = arith::CmpIOp::create(at, loc, arith::CmpIPredicate::eq, had,
                                        createI64(at, loc, 0));
    Value isOwner = arith::CmpIOp::create(at, loc, arith::CmpIPredicate::ne,
                                          bit, createI64(at, loc, 0));
    return arith::AndIOp::create(at, loc, isOwner, isNew);
  }

  /// Gives the room back at the end of the kernel.
  void giveBack() {
    builder.setInsertionPoint(kernel.getBody().back().getTerminator());
    scf::IfOp::create(
        builder, loc,
        createIsAsking(builder, kernel.getBody().back().getTerminator()),
        [&](OpBuilder &inside, Location) {
          createFence(inside, LLVM::AtomicOrdering::release);
          Value had = arith::SelectOp::create(
              inside, loc, createIsFirst(inside), createHadOwner(inside),
              createI64(inside, loc, 0));
          Value changes = arith::OrIOp::create(inside, loc, bit, had);
          LLVM::AtomicRMWOp::create(inside, loc, LLVM::AtomicBinOp::_xor,
                                    createWordAddress(inside, number), changes,
                                    LLVM::AtomicOrdering::monotonic);
          scf::YieldOp::create(inside, loc);
        });
  }

private:
  static constexpr int64_t kWordBytes = 8;

  /// Memory of the module, zero at first.
  Value createMemory(StringRef name, int64_t bytes) {
    auto module = kernel->getParentOfType<gpu::GPUModuleOp>();
    OpBuilder outside = OpBuilder::atBlockBegin(module.getBody());
    auto type = LLVM::LLVMArrayType::get(outside.getI8Type(), bytes);
    auto memory = LLVM::GlobalOp::create(
        outside, loc, type, /*isConstant=*/false, LLVM::Linkage::Internal, name,
        /*value=*/Attribute(), kPlaceAlignment, kGlobalSpace);
    Block *body = outside.createBlock(&memory.getInitializerRegion());
    outside.setInsertionPointToStart(body);
    Value zero = LLVM::ZeroOp::create(outside, loc, type);
    LLVM::ReturnOp::create(outside, loc, zero);
    return LLVM::AddressOfOp::create(builder, loc, memory);
  }

  Value advance(OpBuilder &at, Value from, Value bytes) {
    return LLVM::GEPOp::create(at, loc, from.getType(), at.getI8Type(), from,
                               LLVM::GEPArg(bytes));
  }

  /// LLVM gives atomic updates no order of their own on this target.
  void createFence(OpBuilder &at, LLVM::AtomicOrdering ordering) {
    LLVM::FenceOp::create(at, loc, ordering, "device");
  }

  Value createWordNumber(OpBuilder &at) {
    Value multiprocessor = NVVM::SmIdOp::create(at, loc, at.getI32Type());
    return arith::AndIOp::create(at, loc, multiprocessor,
                                 createI32(at, loc, kWords - 1));
  }

  Value createWordAddress(OpBuilder &at, Value number) {
    return advance(
        at, words,
        arith::MulIOp::create(at, loc, number, createI32(at, loc, kWordBytes)));
  }

  /// The bit that says whether the room has had an owner.
  Value createHadOwner(OpBuilder &at) {
    return arith::ShLIOp::create(at, loc, bit,
                                 createI64(at, loc, kRoomsOfWord));
  }

  /// Sets a bit of a word that says that a room is taken. Gives it, and the
  /// word before. Most often the first one is free: nobody is asked which is.
  std::pair<Value, Value> takeBit(OpBuilder &at, Value word) {
    Type i64 = at.getI64Type();
    Value first = createI64(at, loc, 1);
    auto loop = scf::WhileOp::create(
        at, loc, TypeRange{i64, i64}, first,
        [&](OpBuilder &inside, Location, ValueRange tried) {
          Value held = LLVM::AtomicRMWOp::create(
              inside, loc, LLVM::AtomicBinOp::_or, word, tried.front(),
              LLVM::AtomicOrdering::monotonic);
          Value wasSet =
              arith::AndIOp::create(inside, loc, held, tried.front());
          Value isLost =
              arith::CmpIOp::create(inside, loc, arith::CmpIPredicate::ne,
                                    wasSet, createI64(inside, loc, 0));
          scf::ConditionOp::create(inside, loc, isLost, {tried.front(), held});
        },
        [&](OpBuilder &inside, Location, ValueRange lost) {
          scf::YieldOp::create(inside, loc, createLowestFree(inside, lost[1]));
        });
    return {loop.getResult(0), loop.getResult(1)};
  }

  /// The lowest bit of a free room, the first one if all are taken.
  Value createLowestFree(OpBuilder &at, Value held) {
    Value rooms = createI64(at, loc, (int64_t(1) << kRoomsOfWord) - 1);
    Value isFree = arith::AndIOp::create(
        at, loc, arith::XOrIOp::create(at, loc, held, rooms), rooms);
    Value none = createI64(at, loc, 0);
    Value negative = arith::SubIOp::create(at, loc, none, isFree);
    Value lowest = arith::AndIOp::create(at, loc, isFree, negative);
    return arith::MaxUIOp::create(at, loc, lowest, createI64(at, loc, 1));
  }

  gpu::GPUFuncOp kernel;
  OpBuilder builder;
  Location loc;
  int64_t roomBytes;
  /// The word of the room, its number, the room's bit, and what the word was
  /// before that was set.
  Value words, number, bit, before;
};

} // namespace

//===----------------------------------------------------------------------===//
// Fields
//===----------------------------------------------------------------------===//

/// What the type of elements is called in a map. Only for floats it matters,
/// which have NaN outside; others are told by their size.
static int64_t getElementCode(Type element) {
  return llvm::TypeSwitch<Type, int64_t>(element)
      .Case<Float16Type>([](Type) { return 6; })
      .Case<Float32Type>([](Type) { return 7; })
      .Case<Float64Type>([](Type) { return 9; })
      .Case<BFloat16Type>([](Type) { return 10; })
      .Default([](Type type) {
        switch (cta::getElementBytes(type)) {
        case 1:
          return 0;
        case 2:
          return 1;
        case 4:
          return 2;
        default:
          return 4;
        }
      });
}

/// What a swizzle of so many bytes is called.
static int64_t getSwizzleCode(int64_t bytes) {
  return bytes == 128 ? 3 : bytes == 64 ? 2 : bytes == 32 ? 1 : 0;
}

namespace {

/// Writes the fields of one map.
class MapFields {
public:
  MapFields(OpBuilder &builder, Location loc, Value place)
      : builder(builder), loc(loc), place(place) {}

  void set(StringRef field, Value value) { call(field, {value}); }
  void set(StringRef field, int64_t value) {
    call(field, {createI32(builder, loc, value)});
  }
  /// Of the dimension that is so many away from that of neighbours.
  void setOf(StringRef field, unsigned dim, Value value) {
    call(field, {createI32(builder, loc, dim), value});
  }

private:
  void call(StringRef field, ArrayRef<Value> values) {
    SmallVector<Value> operands = {place};
    llvm::append_range(operands, values);
    LLVM::CallIntrinsicOp::create(
        builder, loc,
        builder.getStringAttr("llvm.nvvm.tensormap.replace." + field.str()),
        operands);
  }

  OpBuilder &builder;
  Location loc;
  Value place;
};

} // namespace

/// What is known before the kernel runs.
static void writeConstants(OpBuilder &builder, cta::MakeTensorMapOp op) {
  Location loc = op.getLoc();
  Type element =
      cast<UnrankedMemRefType>(op.getBase().getType()).getElementType();
  unsigned rank = op.getSizes().size();
  MapFields map(builder, loc, op.getPlace());
  // The map names the dimension of neighbours first.
  for (unsigned dim = 0; dim < rank; ++dim)
    map.setOf("box.dim", dim,
              createI32(builder, loc, op.getBox()[rank - 1 - dim]));
  for (unsigned dim = 0; dim < rank; ++dim)
    map.setOf("element.stride", dim, createI32(builder, loc, 1));
  map.set("rank", rank - 1);
  map.set("elemtype", getElementCode(element));
  map.set("interleave.layout", 0);
  map.set("swizzle.mode", getSwizzleCode(op.getSwizzle()));
  map.set("fill.mode", op.getIsNanOutside());
}

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

namespace {

/// What a kernel knows of a map when it makes it, as instructions take it.
class MapNumbers {
public:
  MapNumbers(OpBuilder &builder, cta::MakeTensorMapOp op)
      : loc(op.getLoc()), place(op.getPlace()) {
    address = tts::ToAddressOp::create(builder, loc, op.getBase());
    // No coordinate, which has 32 bits and a sign, is beyond the most.
    Value least = createI64(builder, loc, 1);
    Value most = createI64(builder, loc, std::numeric_limits<int32_t>::max());
    for (Value size : op.getSizes()) {
      size = arith::MaxSIOp::create(builder, loc, size, least);
      size = arith::MinSIOp::create(builder, loc, size, most);
      sizes.push_back(
          arith::TruncIOp::create(builder, loc, builder.getI32Type(), size));
    }
    Type element =
        cast<UnrankedMemRefType>(op.getBase().getType()).getElementType();
    Value bits = address;
    Value bytes = createI64(builder, loc, cta::getElementBytes(element));
    for (Value stride : op.getStrides()) {
      strides.push_back(arith::MulIOp::create(builder, loc, stride, bytes));
      bits = arith::OrIOp::create(builder, loc, bits, strides.back());
    }
    // Addresses have fewer bits than strides may have.
    constexpr int64_t kWrong = ~((int64_t(1) << 57) - 1) | 15;
    Value wrong = arith::AndIOp::create(builder, loc, bits,
                                        createI64(builder, loc, kWrong));
    isMisplaced = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne,
                                        wrong, createI64(builder, loc, 0));
  }

  void check(OpBuilder &builder) const {
    // LLVM's trap has no predicate, and takes a branch.
    createPtx(builder, loc, {}, {isMisplaced}, "@$0 trap;", "b",
              PtxEffects::Memory);
  }

  void write(OpBuilder &builder) const {
    MapFields map(builder, loc, place);
    unsigned rank = sizes.size();
    map.set("global.address", address);
    // The map names the dimension of neighbours first.
    for (unsigned dim = 0; dim < rank; ++dim)
      map.setOf("global.dim", dim, sizes[rank - 1 - dim]);
    for (unsigned dim = 1; dim < rank; ++dim)
      map.setOf("global.stride", dim - 1, strides[rank - 1 - dim]);
  }

private:
  Location loc;
  Value place, address;
  /// Strides are in bytes.
  SmallVector<Value> sizes, strides;
  /// True if the copy engine cannot do with the address or a stride.
  Value isMisplaced;
};

} // namespace

//===----------------------------------------------------------------------===//
// Making
//===----------------------------------------------------------------------===//

/// Says whether any of `maps` is used before `op`, which is in their block.
static bool isUsedBefore(ArrayRef<cta::MakeTensorMapOp> maps, Operation *op) {
  return llvm::any_of(maps, [&](cta::MakeTensorMapOp map) {
    return llvm::any_of(map->getUsers(), [&](Operation *user) {
      Operation *around = op->getBlock()->findAncestorOpInBlock(*user);
      return around && around->isBeforeInBlock(op);
    });
  });
}

/// Writes `maps`, and lets copies that follow read them. In one branch: ptxas
/// reads what it changes of all of them at once.
static void make(ArrayRef<cta::MakeTensorMapOp> maps) {
  cta::MakeTensorMapOp last = maps.back();
  Location loc = last.getLoc();
  OpBuilder builder(last);
  SmallVector<MapNumbers> numbers;
  for (cta::MakeTensorMapOp map : maps)
    numbers.emplace_back(builder, map);
  scf::IfOp::create(
      builder, loc, createIsAsking(builder, last),
      [&](OpBuilder &inside, Location) {
        for (const MapNumbers &one : numbers)
          one.check(inside);
        for (const MapNumbers &one : numbers)
          one.write(inside);
        NVVM::FenceProxyReleaseOp::create(inside, loc, NVVM::MemScopeKind::GPU);
        for (cta::MakeTensorMapOp map : maps)
          NVVM::FenceProxyAcquireOp::create(
              inside, loc, NVVM::MemScopeKind::GPU,
              LLVM::AddrSpaceCastOp::create(inside, loc, map.getType(),
                                            map.getPlace()),
              createI32(inside, loc, tts::kTensorMapBytes));
        scf::YieldOp::create(inside, loc);
      });
  for (cta::MakeTensorMapOp map : maps) {
    Value generic = LLVM::AddrSpaceCastOp::create(
        builder, map.getLoc(), map.getType(), map.getPlace());
    map.replaceAllUsesWith(generic);
    map.erase();
  }
}

/// Makes those of `maps`, in the order of the program, together that no copy
/// lies between.
static void makeAll(ArrayRef<cta::MakeTensorMapOp> maps) {
  while (!maps.empty()) {
    size_t count = 1;
    while (count < maps.size() &&
           maps[count]->getBlock() == maps.front()->getBlock() &&
           !isUsedBefore(maps.take_front(count), maps[count]))
      ++count;
    make(maps.take_front(count));
    maps = maps.drop_front(count);
  }
}

void triton_shared::makeTensorMaps(ModuleOp module) {
  module.walk([](gpu::GPUFuncOp kernel) {
    SmallVector<cta::MakeTensorMapOp> maps;
    kernel.walk([&](cta::MakeTensorMapOp map) { maps.push_back(map); });
    if (maps.empty())
      return;
    Rooms rooms(kernel, maps.size());
    Value room = rooms.take();
    OpBuilder builder(kernel.getContext());
    builder.setInsertionPointAfterValue(room);
    for (auto [i, map] : llvm::enumerate(maps)) {
      Value place = LLVM::GEPOp::create(
          builder, kernel.getLoc(), room.getType(), builder.getI8Type(), room,
          LLVM::GEPArg(static_cast<int32_t>(i * tts::kTensorMapBytes)));
      map.getPlaceMutable().assign(place);
    }
    scf::IfOp::create(builder, kernel.getLoc(), rooms.createIsFirst(builder),
                      [&](OpBuilder &inside, Location loc) {
                        for (cta::MakeTensorMapOp map : maps)
                          writeConstants(inside, map);
                        scf::YieldOp::create(inside, loc);
                      });
    makeAll(maps);
    rooms.giveBack();
  });
}

//===----------------------------------------------------------------------===//
// Conversions
//===----------------------------------------------------------------------===//

namespace {

struct ConvertPublishWrites : OpConversionPattern<cta::PublishWritesOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(cta::PublishWritesOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<NVVM::FenceProxyOp>(
        op,
        NVVM::ProxyKindAttr::get(op.getContext(),
                                 NVVM::ProxyKind::async_global),
        NVVM::SharedSpaceAttr());
    return success();
  }
};

} // namespace

void triton_shared::populateCtaToGpuTensorMaps(const TypeConverter &types,
                                               RewritePatternSet &patterns) {
  patterns.add<ConvertPublishWrites>(types, patterns.getContext());
}
