// engine-client PORT START LEVELS...: a program of which tests run several on one board. For each level
// from 0 to 1 it plays on an engine of its own.
//
// At START, in seconds of the engine's clock, each engine begins to play bursts of 10 ms, one every
// 100 ms for three seconds; the engines of one program follow one another by 20 ms. A level that begins
// with "=" is held for ten seconds instead. The program prints a line when all engines have started, and
// when one has stopped by itself, and ends with the last player.

import Foundation
import HapticBridge

let arguments = CommandLine.arguments
let device = HapticDevice.port(arguments[1])
let start = Double(arguments[2])!
var players: [any CHHapticAdvancedPatternPlayer] = []
var engines: [CHHapticEngine] = []
let ends = DispatchSemaphore(value: 0)

func event(_ level: Float, at time: Double, for duration: Double) -> CHHapticEvent {
    CHHapticEvent(
        eventType: .hapticContinuous,
        parameters: [CHHapticEventParameter(parameterID: .hapticIntensity, value: level)],
        relativeTime: time, duration: duration)
}

for (number, text) in arguments[3...].enumerated() {
    let isHeld = text.hasPrefix("=")
    let level = Float(text.drop { $0 == "=" })!
    let events =
        isHeld
        ? [event(level, at: 0, for: 10)]
        : (0..<30).map { event(level, at: Double($0) / 10 + Double(number) / 50, for: 0.01) }
    let engine = CHHapticEngine(device: device)
    try engine.start() as Void
    engine.stoppedHandler = { reason in
        FileHandle.standardOutput.write(Data("stopped: \(reason)\n".utf8))
    }
    engines.append(engine)
    let player = try engine.makeAdvancedPlayer(
        with: CHHapticPattern(events: events, parameters: []))
    player.completionHandler = { error in
        if let error { FileHandle.standardOutput.write(Data("ended: \(error)\n".utf8)) }
        ends.signal()
    }
    try player.start(atTime: start)
    players.append(player)
}
FileHandle.standardOutput.write(Data("ready\n".utf8))
for _ in players { ends.wait() }
for engine in engines {
    engine.stop { _ in ends.signal() }
    ends.wait()
}
