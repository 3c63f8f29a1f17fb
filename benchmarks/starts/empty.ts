// Node itself.
process.exitCode = 0
