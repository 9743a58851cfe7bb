"""Runs one kernel on two targets and says whether, where and by how much the results differ.

    python -m triton_shared.diff FILE --targets cpu,interpreter

The way of a launch: `recorder` catches it while a case runs, `recording` keeps it as a folder,
`workers` replays it on each target in a process of its own (`worker`, `replay`), `tolerances` says
how far apart the results may be, `comparison` finds the worst element, `locate` the program that
wrote it, and `report` tells.
"""
