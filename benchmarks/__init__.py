"""What is timed, and how the numbers are shown."""
