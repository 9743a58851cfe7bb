"""The leg to NVIDIA GPUs: tools, options, stages, devices and launches.

Nothing here needs a GPU, a driver or a CUDA Toolkit to be imported; what is missing is said at the
first use that needs it.
"""
