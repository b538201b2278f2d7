// Performs the steps of Tests/Clients/steps.txt with the library.

import Foundation
import HapticBridge

/// Performs the steps of a file on the board that `BRIDGE_PORT` names.
func performSteps(of path: String) throws {
    let text = try String(contentsOfFile: path, encoding: .utf8)
    let steps = try Steps(in: URL(fileURLWithPath: path).deletingLastPathComponent())
    for line in text.split(separator: "\n") {
        let words = line.split(separator: " ").map(String.init)
        if !["#", "due"].contains(words[0]) { try steps.perform(words) }
    }
    steps.end()
}

/// The engine and the players that perform the steps.
private final class Steps {
    private let folder: URL
    private let engine: HapticEngine
    /// The time on the engine's clock that corresponds to time 0 of the steps.
    private let origin: TimeInterval
    private var players: [String: any HapticAdvancedPatternPlayer] = [:]
    private var ends: [String: DispatchSemaphore] = [:]

    /// The time, in seconds, between the sending of a command and its due time.
    private static let lead = 0.15

    struct Failure: Error, CustomStringConvertible { let description: String }

    init(in folder: URL) throws {
        self.folder = folder
        engine = HapticEngine(device: .automatic)
        try engine.start()
        origin = engine.currentTime + 0.5
    }

    func end() {
        let isStopped = DispatchSemaphore(value: 0)
        engine.stop { _ in isStopped.signal() }
        isStopped.wait()
    }

    func perform(_ words: [String]) throws {
        var words = words
        var time = 0.0
        if let seconds = TimeInterval(words[0]) {
            time = origin + seconds
            words.removeFirst()
            sleep(until: time - (words[0] == "call" ? 0 : Self.lead))
        }
        let name = words[1]
        let rest = Array(words.dropFirst(2))
        guard words[0] != "player" else { return try makePlayer(name, rest) }
        guard let player = players[name] else {
            throw Failure(description: "there is no player \(name)")
        }
        // Discards the ends of earlier starts, so that "finish" waits for the end of the last
        // start.
        if ["start", "call"].contains(words[0]) {
            while ends[name]!.wait(timeout: .now()) == .success {}
        }
        try perform(words[0], player, rest, at: time)
        if words[0] == "finish", ends[name]!.wait(timeout: .now() + 10) == .timedOut {
            throw Failure(description: "player \(name) does not end")
        }
    }

    private func sleep(until time: TimeInterval) {
        let rest = time - engine.currentTime
        if rest > 0 { Thread.sleep(forTimeInterval: rest) }
    }

    private func makePlayer(_ name: String, _ source: [String]) throws {
        let pattern =
            source[0] == "named"
            ? SystemFeedback(rawValue: source[1])!.pattern
            : try CHHapticPattern(contentsOf: folder.appendingPathComponent(source[1]))
        let player = try engine.makeAdvancedPlayer(with: pattern)
        let end = DispatchSemaphore(value: 0)
        player.completionHandler = { _ in end.signal() }
        (players[name], ends[name]) = (player, end)
    }

    private func perform(
        _ command: String, _ player: any HapticAdvancedPatternPlayer, _ words: [String],
        at time: TimeInterval
    ) throws {
        let values = words.compactMap(Double.init)
        switch command {
        case "start":
            try player.start(atTime: time)
            if let offset = values.first { try player.seek(toOffset: offset) }
        case "stop": try player.stop(atTime: time)
        case "pause": try player.pause(atTime: time)
        case "resume": try player.resume(atTime: time)
        case "parameter": try send(values[0], of: words[0], to: player, at: time)
        case "curve": try schedule(values, of: words[0], on: player, at: time)
        case "rate": player.playbackRate = Float(values[0])
        case "loop": (player.loopEnd, player.loopEnabled) = (values[0], true)
        case "mute": player.isMuted = values[0] != 0
        case "seek": try player.seek(toOffset: values[0])
        case "cancel": try player.cancel()
        case "call":
            print(engine.currentTime - origin)
            try player.start(atTime: CHHapticTimeImmediate)
        case "load": try load(player, for: values[0])
        case "finish": break
        default: throw Failure(description: "unknown step: \(command)")
        }
    }

    private func send(
        _ value: Double, of name: String, to player: any HapticAdvancedPatternPlayer,
        at time: TimeInterval
    ) throws {
        let parameter = CHHapticDynamicParameter(
            parameterID: .init(rawValue: name), value: Float(value), relativeTime: 0)
        try player.sendParameters([parameter], atTime: time)
    }

    private func schedule(
        _ values: [Double], of name: String, on player: any HapticAdvancedPatternPlayer,
        at time: TimeInterval
    ) throws {
        let points = stride(from: 0, to: values.count - 1, by: 2).map {
            CHHapticParameterCurve.ControlPoint(
                relativeTime: values[$0], value: Float(values[$0 + 1]))
        }
        let curve = CHHapticParameterCurve(
            parameterID: .init(rawValue: name), controlPoints: points, relativeTime: 0)
        try player.scheduleParameterCurve(curve, atTime: time)
    }

    /// Sends 1,000 parameters per second.
    private func load(_ player: any HapticAdvancedPatternPlayer, for seconds: Double) throws {
        let begin = engine.currentTime
        for call in 0..<Int(seconds * 1_000) {
            sleep(until: begin + Double(call) / 1_000)
            try send(
                0.5 + 0.4 * sin(Double(call) / 160),
                of: CHHapticDynamicParameter.ID.hapticIntensityControl.rawValue, to: player, at: 0)
        }
    }
}
