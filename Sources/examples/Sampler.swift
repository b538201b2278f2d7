// A sampler with eight patterns. Each key plays one pattern. If a key is pressed while other
// patterns play, its pattern plays in addition to these patterns.
//
//     printf '1 3 q' | swift run examples sampler    from a script: a space waits a quarter of a second

import Foundation
import HapticBridge

/// Plays a pattern for each key that is pressed. After q has been pressed, the function returns
/// when the last pattern has ended.
func playSampler(on engine: HapticEngine) throws {
    let patterns = SamplePattern.allCases
    engine.stoppedHandler = { reason in leave(69, "the engine has stopped: \(reason)") }
    engine.resetHandler = { [weak engine] in
        do {
            try engine?.start()
            print("The board was reset and can play again.")
        } catch {
            leave(69, error)
        }
    }
    var display: Display?
    if engine.previewReason != nil, Display.isPossible {
        print("The bars show the level and the sharpness.")
        display = Display(of: engine)
    }
    defer { display?.end() }

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

    // Patterns that are still playing are played to their ends.
    let isOver = DispatchSemaphore(value: 0)
    engine.notifyWhenPlayersFinished { _ in
        isOver.signal()
        return .leaveEngineRunning
    }
    isOver.wait()
}
