"""How the time and the memory of compiling grow with the length of a kernel."""
