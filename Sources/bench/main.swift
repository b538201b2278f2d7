// What `make bench` runs: figures on stdout, one a line, everything else on stderr.

try CorpusFigures.print()
try BoardFigures.print()
try FirstHaptic.print()
