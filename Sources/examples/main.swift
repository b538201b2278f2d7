// Examples: simulations that are shown in the terminal and felt on the board, and a sampler.
//
//     swift run examples ball              a ball that bounces to rest: an impact for each collision
//     swift run examples dial              a dial that is flicked back and forth: its detents
//     swift run examples sampler           eight patterns, one key each
//     swift run examples ball --virtual    on a virtual board
//
// Without a board, nothing is felt, but the terminal shows the haptic output.

import Foundation
import HapticBridge

/// Prints a reason, and ends the program. The board comes to rest automatically when the program
/// disconnects.
@Sendable func leave(_ status: Int32, _ reason: Any) -> Never {
    FileHandle.standardError.write(Data("examples: \(reason)\n".utf8))
    exit(status)
}

let examples: [String: (HapticEngine) throws -> Void] = [
    "ball": playBall, "dial": playDial, "sampler": playSampler,
]
let arguments = CommandLine.arguments.dropFirst()
let options = arguments.filter { $0.hasPrefix("-") }
guard let play = arguments.first.flatMap({ examples[$0] }), arguments.count - options.count == 1,
    options.allSatisfy({ $0 == "--virtual" })
else {
    leave(
        64,
        "expected one of \(examples.keys.sorted().joined(separator: ", ")), and optionally --virtual"
    )
}

do {
    let board = options.isEmpty ? nil : try ChildBoard()
    defer { board?.stop() }
    let engine = HapticEngine(
        device: board.map { .port($0.port) } ?? .automatic(allowingPreview: true))
    try engine.start()
    if let reason = engine.previewReason {
        FileHandle.standardError.write(Data("Nothing is felt: \(reason.message)\n".utf8))
    }
    try play(engine)
    SimulationView.clear()
    let isOver = DispatchSemaphore(value: 0)
    engine.stop { _ in isOver.signal() }
    isOver.wait()
} catch {
    leave(69, error)
}
