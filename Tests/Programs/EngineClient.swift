// The engine client, which tests run in several processes that share one board.

import Foundation
import HapticBridge

/// Plays levels from 0 to 1 on a board, each on a separate engine.
///
/// The function prints a line when all engines have started, and then waits for a file that
/// contains a start time, in seconds of the engine's clock. From this time, each engine plays a
/// burst of 10 ms every 100 ms for three seconds. Each engine is delayed by 20 ms relative to the
/// previous engine. An engine whose level has the prefix "=" instead holds the level for ten
/// seconds. The function prints a line whenever an engine stops although no stop was requested, and
/// returns after the last player has ended.
func playLevels(_ levels: [String], at port: String, whenThereIs file: String) throws {
    var players: [any CHHapticAdvancedPatternPlayer] = []
    var engines: [CHHapticEngine] = []
    let ends = DispatchSemaphore(value: 0)
    for (number, text) in levels.enumerated() {
        let isHeld = text.hasPrefix("=")
        let level = Float(text.drop { $0 == "=" })!
        let events =
            isHeld
            ? [event(level, at: 0, for: 10)]
            : (0..<30).map { event(level, at: Double($0) / 10 + Double(number) / 50, for: 0.01) }
        let engine = CHHapticEngine(device: .port(port))
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
        start = (try? String(contentsOfFile: file, encoding: .utf8)).flatMap(Double.init)
    }
    for player in players { try player.start(atTime: start!) }
    for _ in players { ends.wait() }
    for engine in engines {
        engine.stop { _ in ends.signal() }
        ends.wait()
    }
}

private func event(_ level: Float, at time: Double, for duration: Double) -> CHHapticEvent {
    CHHapticEvent(
        eventType: .hapticContinuous,
        parameters: [CHHapticEventParameter(parameterID: .hapticIntensity, value: level)],
        relativeTime: time, duration: duration)
}
