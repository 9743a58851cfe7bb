"""Who is to blame for a wrong result: the kernel, our passes, Triton's, LLVM, ptxas or its flags.

    python -m triton_shared.blame FILE --suspect emulated

`ladder` goes from rung to rung: `kernel` checks what it does and what it computes, `passes` looks
for the pass of ours (`our_passes`, `pipeline`), `codes` has what compilers for a GPU make of it,
whose PTX runs in the emulator, and `assembling` has it assembled by other versions of ptxas
(`assemblers`). `runs` runs and compares, `verdict` is what comes of it. docs/blame.md is about
using it.
"""
