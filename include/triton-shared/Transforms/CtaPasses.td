//===- CtaPasses.td - Towards code for a GPU ---------------*- tablegen -*-===//
//
// Within phase cta. In the order in which the pipelines run them.
//
//===----------------------------------------------------------------------===//

#ifndef TRITON_SHARED_TRANSFORMS_CTAPASSES
#define TRITON_SHARED_TRANSFORMS_CTAPASSES

include "mlir/Pass/PassBase.td"
include "triton-shared/Transforms/CtaAccessPasses.td"
include "triton-shared/Transforms/CtaGuardPasses.td"
include "triton-shared/Transforms/CtaSoftmaxPasses.td"

def CtaFitWarps : Pass<"cta-fit-warps", "::mlir::ModuleOp"> {
  let summary = "Take no more warps than a program keeps busy";
  let description = [{
    Each thread should have one access of 16 bytes to make of the largest tile,
    and two where elements are combined (`cta.reduce`, `cta.scan`), but where
    two warps would remain then. So many do:

    | largest tile        | element-wise | with a reduction |
    |---------------------|--------------|------------------|
    | 256 of f32          | 2            | 1                |
    | 512 of f16          | 2            | 1                |
    | 1024 of f16         | 4            | 4                |
    | 1024 of f32         | 8            | 4                |

    It makes none more. Functions with matrix products keep theirs, and so do
    those that combine nothing and share out the turns of a loop to all programs:
    their grid has as many as multiprocessors have room for.

    Needs: `cta.num_warps`, tiles without layouts. Leaves: `cta.num_warps`.
  }];
}

def CtaAddWarps : Pass<"cta-add-warps", "::mlir::ModuleOp"> {
  let summary = "Take more warps where sums of products fill all registers";
  let description = [{
    What a loop carries of its products' sums is in registers: two sums of
    128x128 of f32 are 256 of each thread of four warps, which has 255. So many
    warps share them then that fewer are needed, up to eight, as long as each
    has 16 rows of every product:

    | sums of the loop     | asked | taken |
    |----------------------|-------|-------|
    | 128x128              | 4     | 4     |
    | 128x128 and 128x128  | 4     | 8     |
    | 128x256              | 4     | 8     |
    | 64x256 and 64x256    | 4     | 4     |

    Only for GPUs that have `wgmma`.

    Needs: `cta.num_warps`, tiles without layouts. Leaves: `cta.num_warps`.
  }];
}

def CtaSwapOperands : Pass<"cta-swap-operands", "::mlir::ModuleOp"> {
  let summary = "Compute products of few rows transposed";
  let description = [{
    A `wgmma` computes 64 rows at once, and from 8 to 256 columns. A product of
    fewer rows whose sum is but carried through its loop is computed transposed,
    so that its many columns become rows:

    ```mlir
    %r = scf.for … iter_args(%sum = %zero) -> (tensor<16x64xf32>) {
      %d = cta.dot %a, %b, %sum
             : tensor<16x32xf16>, tensor<32x64xf16> -> tensor<16x64xf32>
      scf.yield %d : tensor<16x64xf32>
    }
    // becomes
    %t = scf.for … iter_args(%sum = %zero) -> (tensor<64x16xf32>) {
      %left = cta.transpose %b [1, 0] : tensor<32x64xf16> -> tensor<64x32xf16>
      %right = cta.transpose %a [1, 0] : tensor<16x32xf16> -> tensor<32x16xf16>
      %d = cta.dot %left, %right, %sum
             : tensor<64x32xf16>, tensor<32x16xf16> -> tensor<64x16xf32>
      scf.yield %d : tensor<64x16xf32>
    }
    %r = cta.transpose %t [1, 0] : tensor<64x16xf32> -> tensor<16x64xf32>
    ```

    A product stays if its sum is changed in the loop, if it has fewer than 64
    columns, or if an operand would have to be turned in shared memory: one of
    elements that are not of 16 bits, loaded from memory where neighbours lie
    across K. So does every product where there is no `wgmma`.

    Needs: tiles without layouts, `cta.target`. Leaves: the same.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def CtaTurnLoads : Pass<"cta-turn-loads", "::mlir::ModuleOp"> {
  let summary = "Load operands of products the way round that these take them";
  let description = [{
    A `cta.transpose` of a load that goes into a `cta.dot` becomes a load whose
    dimensions are in the other order:

    ```mlir
    %0 = tts.load %p[%o] strides [%s, 1] : memref<*xf16> -> tensor<64x32xf16>
    %1 = cta.transpose %0 [1, 0] : tensor<64x32xf16> -> tensor<32x64xf16>
    // becomes
    %1 = tts.load %p[%o] strides [1, %s] : memref<*xf16> -> tensor<32x64xf16>
    ```

    A load stays if it has other users, a mask or a tile of other values, or is
    volatile.

    Needs: tiles without layouts. Leaves: the same.
  }];
}

def CtaChooseInstructions : Pass<"cta-choose-instructions",
                                 "::mlir::ModuleOp"> {
  let summary = "Decide which instruction computes each matrix product";
  let description = [{
    Written as `instruction` of `cta.dot`, which layouts, buffers and the
    lowering follow:

    | operands       | accumulator | instruction                |
    |----------------|-------------|----------------------------|
    | f16, bf16      | f32         | `#cta.mma<m16n8k16, f16>`  |
    | i8             | i32         | `#cta.mma<m16n8k32, i8>`   |
    | f32, as `tf32` | f32         | `#cta.mma<m16n8k8, tf32>`  |
    | f64            | f64         | `#cta.mma<m8n8k4, f64>`    |
    | f64, sm_90     | f64         | `#cta.mma<m16n8k16, f64>`  |

    Where there is `wgmma` and the warps come in groups of four, products of 64
    rows and 8 columns and more are computed by `#cta.wgmma<m64nNkK>`, with as
    many columns as a group of warps has, up to 256. Their left operand stays in
    registers if it is computed from another product.

    | operands                               | accumulator | K  |
    |----------------------------------------|-------------|----|
    | f16                                    | f32, f16    | 16 |
    | bf16                                   | f32         | 16 |
    | f8E4M3FN, f8E5M2, one of each, as well | f32, f16    | 32 |
    | i8                                     | i32         | 32 |
    | f32, as `tf32`                         | f32         | 8  |

    A product of f32 between conversions from and to f16 adds up in f16, if it
    says that it may (`tts.adds_in_half`). Sums of 8-bit floats that may not be
    imprecise for all of K take instructions of 32 columns at most: further
    registers hold them until they are added. Where no instruction takes 8-bit
    floats, they become f16, which holds them all.

    Products of other types, in batches, or smaller than the instruction keep
    none.

    Needs: tiles without layouts, `cta.target`. Leaves: `instruction` where
    tensor cores compute a product; no product of 8-bit floats without one.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::cta::CTADialect"];
}

def CtaAssignLayouts : Pass<"cta-assign-layouts", "::mlir::ModuleOp"> {
  let summary = "Decide which thread holds which elements of each tile";
  let description = [{
    Accesses and matrix products want particular layouts; everything else takes
    what its neighbours have. Layouts spread from these anchors, the largest
    first, through element-wise operations, shapes, loops and branches. Where
    two meet, what is cheap to make again (constants, `cta.iota`, arithmetic on
    them, and loads of fewer elements than there are threads, outside of loops
    of products) is made again, and anything else goes through a
    `cta.convert_layout`; what is made of indices alone tells no neighbour what
    to take. What is loaded in lines that run across those that a product reads
    from shared memory is converted, too, into a layout in which threads turn
    small blocks of it. Floats that memory adds several of at once are exchanged
    so that a thread has neighbours, except among the products of a loop.

    A thread holds as many neighbours as one access of 16 bytes takes. Of blocks
    of one shape that are loaded and stored, the widest element that is stored
    says how many that is, in programs without products: a store of every other
    16 bytes writes halves of sectors. Where some accesses of such blocks begin
    anywhere, as rows of an odd length beside their weights do, it is the number
    with which warps ask for the fewest lines of memory, turns of loops counted:
    neighbours that a thread moves one by one are the same lines, asked for again.
    Of operands of products whose rows begin anywhere a thread holds whole words
    all the same, which is how they go to shared memory, and warps hold rows of
    their own: addresses of rows take registers.

    Parts of tiles (`cta.slice`, `cta.insert_slice`) are a choice of registers
    where threads hold the same elements of each. What is loaded gets a layout in
    which they do, if it is as good for memory and no thread computes for that
    what another one does; a tile of tensor cores is moved between threads first
    where they do not.

    Needs: tiles without layouts, instructions. Leaves: a `#cta.layout` on every tile, equal
    on both sides of every operation but `cta.convert_layout`.
  }];
  let dependentDialects = ["::mlir::cta::CTADialect"];
}

def CtaSpecializeWarps : Pass<"cta-specialize-warps", "::mlir::ModuleOp"> {
  let summary = "Let one more warp ask for what the others compute with";
  let description = [{
    Where the loads of a product's loop are boxes of tensors, a warp of its own
    can ask for all of them. It needs no more than the scalars of the program
    and the loops and branches around, so it runs ahead of the program's warps
    as far as the ring has slots: through the end of a loop, and into the next
    turn of the loop around it, while the others still store what they have
    computed. These wait for nobody but the copies, and need not go at one pace.

    ```mlir
    scf.for %tile = … {
      %r = scf.for %k = … iter_args(%sum = %zero) -> … {
        %a = tts.load … // a box
        %b = tts.load … // a box
        %d = cta.dot %a, %b, %sum : … by #cta.wgmma<m64n128k16>
        scf.yield %d
      }
      …
    }
    // becomes
    cta.specialize producer {
      scf.for %tile = … iter_args(%slot = …, %phase = …) -> … {
        scf.for %k = … iter_args(…) -> … {
          cta.wait_mbarrier %empty[%slot] phase %before
          cta.copy_box … to %as[%slot] at %full if %true
          cta.copy_box … to %bs[%slot] at %full if %true
          …
        }
      }
    } consumers {
      scf.for %tile = … iter_args(%slot = …, %phase = …) -> … {
        %r = scf.for %k = … iter_args(%sum = %zero, …) -> … {
          cta.wait_mbarrier %full[%slot] phase %phase
          %a = cta.read %as[%slot]
          %b = cta.read %bs[%slot]
          %d = cta.dot %a, %b, %sum goes_on : … by #cta.wgmma<m64n128k16>
          %e = cta.wait_dot %d but 1
          cta.arrive %empty[%previous] if %is_not_first
          …
        }
        …
      }
    }
    ```

    Products that read different copies wait for their own alone, and leave their
    slots when they have read them: each group of copies has barriers of its own.

    Where more than four warps compute, and no second block has room beside this
    one, three more warps come with the one that copies: a group
    of four can leave most of its registers to the others (`setmaxnreg`).

    Slots and phases are counted through the whole program, and its barriers
    stand in shared memory until its end. Loops that copy tiles of the same
    sizes in the same way share a ring. Where what is stored leaves room for
    fewer slots than are asked for, and for more if it goes through a small ring
    of its own, its stores are marked `cta.in_parts` (`cta-store-boxes`).

    What `cta-hoist-guards` made is left out where no warp copies: the loop that
    asks in each turn does the same.

    Done where the loop has another one around it, and for loops of several
    products on eight warps, in which one group of warps can then compute what
    tensor cores cannot while those of the other do: with more warps, threads
    would have fewer registers for one warp more. Not done for such loops one
    behind the other, as of causal attention, where two blocks have room on a
    multiprocessor: while one fills its rings or leaves them, the other one
    computes. With `always`, or where the
    kernel asks for it (`tt.warp_specialize` on one of the loops), done wherever
    it is possible. A loop stays as it is if
    - a load that a product reads from shared memory is no box, or is read
      otherwise as well;
    - where to load from depends on what is loaded, or computed from tiles;
    - a run may come to it and to one that copies and stays. Under the guard of
      `cta-guard-boxes` none does: the other one has its rings in the room of
      these.

    All loops of a function do if
    - the kernel asks by an atomic access whether others have written something,
      before which it must not be read;
    - it reads registers of the machine, as the number of its threads, or has
      more than 16 warps;
    - the shared memory of the GPU has no room for two slots of each ring, three
      if so many are asked for and products go on, beside what else the program
      needs.

    Needs: layouts, `cta.target`. Leaves: `cta.specialize`, and the function's
    `cta.producer_warps`.
  }];
  let options = [
    Option<"numStages", "num-stages", "unsigned", /*default=*/"3",
           "slots of a ring, at most">,
    Option<"always", "always", "bool", /*default=*/"false",
           "wherever it is possible">,
    Option<"movesRegisters", "moves-registers", "bool", /*default=*/"true",
           "a group of warps that copies may leave registers to the others">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::cta::CTADialect",
                           "::mlir::LLVM::LLVMDialect",
                           "::mlir::scf::SCFDialect"];
}

def CtaPipelineLoads : Pass<"cta-pipeline-loads", "::mlir::ModuleOp"> {
  let summary = "Load what a product needs while earlier products are computed";
  let description = [{
    A load in a loop whose tile goes into a product becomes a `cta.copy` into a
    ring of `num-stages` slots, issued `num-stages` - 1 turns of the loop before
    it is read. What its address depends on is computed ahead with it. Before
    the loop stand the copies of the first turns; each turn waits for the oldest
    group of copies and issues the next one, if such a turn will come.

    Where the GPU has TMA and the load is a box of a tensor (`TensorBoxAnalysis`),
    the copies are `cta.copy_box`: the kernel gets a tensor map as a parameter,
    and each turn waits at the barrier of its slot.

    A load stays as it is if
    - it has a mask, or an `other` that is not zero: copies can fill with
      nothing else;
    - fewer than 4 bytes of it lie side by side, all of them within bounds or
      none: copies are 4, 8 or 16 bytes;
    - its address depends on memory that the loop reads, but for a few integers
      of which the loop writes none: each thread loads those that it needs for
      the turn that is copied for, before the turn waits;
    - the loop may write to the argument that it reads, or waits for other
      threads: its order would change;
    - the shared memory of the GPU has no room for another ring.

    What a product reads from shared memory itself lies in the ring in a way
    that suits the product. If it is the only product of the loop, and the next
    turn but adds to its result, it goes on while the next turn begins, and
    `cta.wait_dot` stands behind the loop; a turn copies ahead once the product
    of the turn before has ended for all threads.
    Copies of a turn come after the product that it begins with, and before the
    wait for that.

    Needs: layouts, `cta.target`. Leaves: `cta.copy`, `cta.commit` and `cta.wait` in
    loops, or their forms for TMA.
  }];
  let options = [
    Option<"numStages", "num-stages", "unsigned", /*default=*/"3",
           "slots of a ring; 1 leaves all loads where they are">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::cta::CTADialect", "::mlir::gpu::GPUDialect",
                           "::mlir::LLVM::LLVMDialect"];
}

def CtaStoreBoxes : Pass<"cta-store-boxes", "::mlir::ModuleOp"> {
  let summary = "Store boxes of tensors by the copy engine";
  let description = [{
    On a GPU with TMA, a `tts.store` that is a box of a tensor
    (`TensorBoxAnalysis`) is written to shared memory and copied from there:

    ```mlir
    cta.write %tile to %buffer[%c0] fenced : tensor<128x64xf16> to !cta.buffer<1, ...>
    cta.store_box %buffer[%c0] to %map[%row, %column] dims [0, 1] by [128, 64]
    ```

    A tile that was moved between threads only to be stored is written as it
    was. Within a loop of `cta.specialize` the copy `goes_on`: before the first
    store of a turn writes its buffer, `cta.wait_stores` and a barrier stand. One
    marked `cta.in_parts` goes through a ring of two slots, a part of its columns
    at a time, which stores of the same block share:

    ```mlir
    %part = cta.slice %tile [0, 128] : tensor<128x256xf16, #a> -> tensor<128x64xf16, #b>
    cta.wait_stores but 1
    gpu.barrier
    cta.write %part to %ring[%c0] fenced
    cta.store_box %ring[%c0] to %map[%row, %third] dims [0, 1] by [128, 64] goes_on
    ```

    A store stays as it is if the kernel accesses the same argument elsewhere, or
    an address that it computes, but for stores like it to boxes that lie beside
    its own: the copy engine's writes are seen by later kernels only, and are in
    no order. So does one whose rows are shorter than 32 bytes.

    If the kernel computes the address, it may be anywhere: then the tensor is
    written before anything that follows, unless a loop reads by copies alone and
    the kernel sees that none of them has a byte of it. What comes after the loop
    waits:

    ```mlir
    scf.if %may_meet {
      cta.wait_stores written
    }
    ```

    Needs: layouts, `cta.target`. Leaves: `cta.store_box` in place of such stores.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::cta::CTADialect", "::mlir::gpu::GPUDialect",
                           "::mlir::LLVM::LLVMDialect",
                           "::mlir::scf::SCFDialect"];
}

def CtaCopyOperands : Pass<"cta-copy-operands", "::mlir::ModuleOp"> {
  let summary = "Copy once, by the copy engine, what products take from there on";
  let description = [{
    A box of a tensor that products alone read, from shared memory, and that is
    loaded before the loops they are in, is copied to a buffer by the copy
    engine:

    ```mlir
    %q = tts.load %p[%at] strides [%s, 1] bounds [0, 1] from(…) to(…) …
    scf.for … { … cta.dot %q, … }
    // becomes
    %arrived = cta.mbarriers arrivals 1 : !cta.mbarriers<1>
    cta.copy_box %map[%row, %c0] … to %buffer[%c0] at %arrived if %true : …
    cta.wait_mbarrier %arrived[%c0] phase %c0
    scf.for … { %q = cta.read %buffer[%c0] … cta.dot %q, … }
    cta.invalidate %arrived
    ```

    Copies that are asked for before the first of them is needed arrive at one
    barrier. A load stays if the kernel writes to its tensor, or if the launch
    does not know that.

    Needs: layouts, `cta.target`. Leaves: the same.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::cta::CTADialect", "::mlir::LLVM::LLVMDialect"];
}

def CtaShareOperands : Pass<"cta-share-operands", "::mlir::ModuleOp"> {
  let summary = "Let products read their operands from shared memory";
  let description = [{
    A product by `#cta.wgmma` reads its right operand, and the left one unless
    that is in registers, from buffers. Where a tile was read from one whose
    layout suits, as a pipelined load is, the product takes the buffer;
    otherwise the tile is written to a buffer of its own, before the loops that
    do not change it:

    ```mlir
    cta.write %b to %0[%c0] fenced : tensor<64x128xf16> to !cta.buffer<1, ...>
    %d = cta.dot %ring[%slot], %0[%c0], %c : ... by #cta.wgmma<m64n128k16>
    ```

    A product without an instruction reads what was read from a buffer there,
    too. What its loop does not change is written to one before, if there is
    room; its other operands stay tiles.

    Where the product goes on while the next turn of a loop writes, the buffer
    has two slots, which take turns. Before a loop that another warp copies for
    (`cta.specialize`), a barrier follows: such a loop has none.

    Needs: layouts. Leaves: no tile where such a product reads shared memory.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::cta::CTADialect", "::mlir::gpu::GPUDialect"];
}

def CtaWriteTogether : Pass<"cta-write-together", "::mlir::ModuleOp"> {
  let summary = "Write operands of several products before the first of them";
  let description = [{
    Operands that are there before an earlier product are written before it,
    ahead of its own, as far as a program has room for them beside all that it
    needs then. Threads meet once, and no product waits until another one has
    read:

    ```mlir
    cta.write %c to %2[%c0] : ...
    cta.write %a to %0[%c0] : ...
    cta.write %b to %1[%c0] fenced : ...
    %x = cta.dot %0[%c0], %1[%c0], %zeros : ...
    %y = cta.dot %0[%c0], %2[%c0], %zeros : ...
    ```

    There is room if no fewer programs run at once than with 128 registers to a
    thread.

    Needs: `cta-share-operands` has run. Leaves: the same writes, each to a
    buffer that is read after it.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::cta::CTADialect"];
}

def CtaStreamDots : Pass<"cta-stream-dots", "::mlir::ModuleOp"> {
  let summary = "Read the operands of a product in steps along K";
  let description = [{
    An operand that has to be exchanged between warps goes through a buffer:
    `cta.convert_layout` becomes `cta.write` and `cta.read`. One that a loop
    reads again and again and that is too large for registers is written before
    the loop. A product of operands in buffers becomes one per step of the
    instruction along K; the operands of a step are read before the product of
    the step before it, so that reading and multiplying overlap:

    ```mlir
    %a0 = cta.read %a[%slot] [0, 0]      %b0 = cta.read %b[%slot] [0, 0]
    %a1 = cta.read %a[%slot] [0, 16]     %b1 = cta.read %b[%slot] [16, 0]
    %c0 = cta.dot %a0, %b0, %c
    %c1 = cta.dot %a1, %b1, %c0
    ```

    Needs: layouts. Leaves: products on tensor cores whose operands are in the
    registers that the instruction takes.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::cta::CTADialect"];
}

def CtaOverlapDots : Pass<"cta-overlap-dots", "::mlir::ModuleOp"> {
  let summary = "Begin products of a turn together that do not need each other";
  let description = [{
    A turn of a loop may have products of buffers besides its first one that
    nothing it computes is an operand of: the gradient of an attention's powers
    beside its scores, or the second product of a gate. Such a one begins behind
    the first, and both are waited for where their results are needed:

    ```mlir
    %s = cta.dot %k[%0], %q[%slot], %zero goes_on
    %g = cta.dot %v[%0], %do[%slot], %zero goes_on
    %t = cta.wait_dot %s but 1
    %p = math.exp2 …
    %sum = cta.dot %p, …
    %h = cta.wait_dot %g
    ```

    It stays where it is if the turn waits for what it reads, or writes that, in
    between, or if results and sums would take more registers than threads have
    to spare. So do loops whose products go on for longer than a turn.

    Needs: layouts, barriers in their places. Leaves: the same.
  }];
  let dependentDialects = ["::mlir::cta::CTADialect"];
}

def CtaAllocateShared : Pass<"cta-allocate-shared", "::mlir::ModuleOp"> {
  let summary = "Give buffers and exchanges their places in shared memory";
  let description = [{
    A buffer needs its place from its `cta.alloc` to its last use, an operation
    that moves data between warps while it runs. One that a warp of its own fills
    (`cta.specialize`) is needed to the end, but not in a branch in place of which
    it is filled. Those that are needed at different times share a place;
    exchanges that follow each other do not, so that the second need not wait for
    the first. `cta.shared_offset` says where a place begins, in bytes, and the
    function's `cta.shared` how much there is.

    A `gpu.barrier` stands before what writes where others may still read, and
    before what reads where others have written. What computes first, such as a
    sum, has the barrier inside, before it writes: `cta.shared_barrier` says so.
    Copies need none: they are waited for by `cta.wait`.

    Where a function needs more bytes than a block of its GPU has, exchanges
    share one place. If that does not do, the largest `cta.convert_layout` takes
    half of its place and goes in two rounds (`cta.rounds`: in 2^n), until all
    fit or none can: rounds are told apart by bits of coordinates that registers
    alone stand for on both sides. What then needs too much is an error, which
    names the operations that need most.

    Needs: layouts, `cta.target`. Leaves: offsets on all operations that need
    them.
  }];
  let dependentDialects = ["::mlir::gpu::GPUDialect"];
}

def CtaStartLongest : Pass<"cta-start-longest", "::mlir::ModuleOp"> {
  let summary = "Begin with the programs that take most turns";
  let description = [{
    A GPU begins programs in the order of their numbers. Where a loop of
    products takes more turns the higher the number is, as in causal attention,
    the program counts from the other end of the grid: `program.x` becomes
    `grid.x - 1 - program.x`, and so for y and z.

    Left alone are functions in which another loop of products takes fewer
    turns, and those whose programs may wait for each other: `while` loops,
    atomics whose result is used or that wait. Prints and assertions stay in
    order as well.

    Needs: `cta.num_warps`, named parameters. Leaves: the same.
  }];
}

def CtaPackPrograms : Pass<"cta-pack-programs", "::mlir::ModuleOp"> {
  let summary = "Let several small programs share a block";
  let description = [{
    Blocks of one warp are started one by one and leave half of a multiprocessor
    empty. `cta.programs = 4` on a function says that the programs of four
    neighbouring ids in x are the warps of one block. Packed are functions that

    - use one warp, and neither shared memory nor a barrier,
    - are over soon: no loops, no tile of more than 1 KiB that is accessed,
    - cannot wait for another program: no atomic that reads or orders,
    - assert nothing, which all threads of a block wait for, and print nothing,
    - depend on the program id in x.

    Needs: `cta.num_warps`, `cta.shared`. Leaves: `cta.programs` where it is more
    than one.
  }];
}

#endif // TRITON_SHARED_TRANSFORMS_CTAPASSES
