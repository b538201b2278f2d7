// The engine client: a program of which tests run several on one board.

import Foundation
import HapticBridge

/// Plays levels from 0 to 1 on a board, each on an engine of its own.
///
/// The program prints a line when all engines have started, and waits until a file is there, which holds a
/// time in seconds of the engine's clock. At that time each engine begins to play bursts of 10 ms, one
/// every 100 ms for three seconds; the engines of one program follow one another by 20 ms. A level that
/// begins with "=" is held for ten seconds instead. The program prints a line when an engine has stopped
/// by itself, and ends with the last player.
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
