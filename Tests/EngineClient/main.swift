// engine-client PORT FILE LEVELS...: a program that tests run several times on one board. It plays
// each level, from 0 to 1, with a separate engine.
//
// The program prints a line when all engines have started, and waits for FILE, which contains a time in
// seconds of the engine's clock. At that time each engine begins to play bursts of 10 ms every 100 ms
// for three seconds; the engines of one program start at intervals of 20 ms. A level that begins with
// "=" is held for ten seconds instead. The program prints a line if an engine stops unexpectedly, and
// exits when the last player has ended.

import Foundation
import HapticBridge

let arguments = CommandLine.arguments
let device = HapticDevice.port(arguments[1])
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
    try engine.start()
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
    players.append(player)
}
FileHandle.standardOutput.write(Data("ready\n".utf8))
var start: Double?
while start == nil {
    usleep(1_000)
    start = (try? String(contentsOfFile: arguments[2], encoding: .utf8)).flatMap(Double.init)
}
for player in players { try player.start(atTime: start!) }
for _ in players { ends.wait() }
for engine in engines {
    engine.stop { _ in ends.signal() }
    ends.wait()
}
