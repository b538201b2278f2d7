// Sampler: plays eight patterns by key press. Patterns whose keys are pressed while others are
// playing are mixed with them.
//
//     swift run sampler                       on the board that BRIDGE_PORT names, or that answers;
//                                             without one, as a preview on the terminal
//     printf '1 3 q' | swift run sampler      from a script: a space waits a quarter of a second

import Foundation
import HapticBridge
import SamplePatterns

let patterns = SamplePattern.allCases

/// Prints a reason and ends the program. The board comes to rest automatically when its host
/// disconnects.
@Sendable func leave(_ reason: Any) -> Never {
    FileHandle.standardError.write(Data("sampler: \(reason)\n".utf8))
    exit(69)
}

do {
    let engine = CHHapticEngine(device: .automatic(allowingPreview: true))
    engine.stoppedHandler = { reason in leave("the engine has stopped: \(reason)") }
    engine.resetHandler = { [weak engine] in
        do {
            try engine?.start()
            print("The board was reset, and plays again.")
        } catch {
            leave(error)
        }
    }
    try engine.start()
    var display: DispatchSemaphore?
    if let reason = engine.previewReason {
        print("Nothing is felt: \(reason.message)")
        if Display.isPossible {
            print("The bars are the level and the sharpness.")
            display = Display.show(engine)
        }
    }

    for (index, pattern) in patterns.enumerated() { print("  \(index + 1)  \(pattern.rawValue)") }
    print("  q  ends")
    Keys.begin()
    while let key = Keys.next() {
        if key == " " { usleep(250_000) }
        guard let digit = key.wholeNumberValue, patterns.indices.contains(digit - 1) else {
            continue
        }
        do {
            try engine.playPattern(from: Data(patterns[digit - 1].file))
        } catch CHHapticError.serverInterrupted {
            print("The board is being reset.")
        }
    }

    // The program waits for the end of the pattern that was started last.
    let isOver = DispatchSemaphore(value: 0)
    engine.notifyWhenPlayersFinished { _ in
        isOver.signal()
        return .leaveEngineRunning
    }
    isOver.wait()
    engine.stop { _ in isOver.signal() }
    isOver.wait()
    display?.wait()
} catch {
    leave(error)
}
