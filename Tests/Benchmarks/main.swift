// The program that `make bench` runs. The program prints figures to stdout, one per line, and all
// other output to stderr. Arguments select the parts to measure; without arguments, all parts are
// measured.

import Foundation

if CommandLine.arguments.count == 3, CommandLine.arguments[1] == FileFigures.measuring {
    FileFigures.measure(CommandLine.arguments[2])
    exit(0)
}

let parts: [(name: String, print: () throws -> Void)] = [
    ("corpus", CorpusFigures.print),
    ("compile", CompileFigures.print),
    ("file", FileFigures.print),
    ("clock", ClockFigures.print),
    ("line", LineFigures.print),
    ("noise", NoiseFigures.print),
    ("board", BoardFigures.print),
    ("recording", RecordingFigures.print),
    ("safety", SafetyFigures.print),
    ("locality", LocalityFigures.print),
    ("paced", PacedFigures.print),
    ("play", FirstHaptic.print),
    ("engine", EngineFigures.print), ("use", UseFigures.print), ("shared", SharedFigures.print),
    ("watch", WatchFigures.print),
    ("feedback", FeedbackFigures.print), ("osc", OSCFigures.print), ("sound", SoundFigures.print),
    ("studio", StudioFigures.print), ("explain", ExplainFigures.print),
    ("feel", FeelFigures.print), ("fit", FitFigures.print), ("import", ImportFigures.print),
]
let wanted = CommandLine.arguments.dropFirst()
if let unknown = wanted.first(where: { name in !parts.contains { $0.name == name } }) {
    let names = parts.map(\.name).joined(separator: ", ")
    note("bench: there is no part \(unknown); the parts are \(names)")
    exit(64)
}
var hasFailed = false
for part in parts where wanted.isEmpty || wanted.contains(part.name) {
    do {
        try part.print()
    } catch {
        note("bench: \(part.name): \(error)")
        hasFailed = true
    }
}
exit(hasFailed ? 1 : 0)
