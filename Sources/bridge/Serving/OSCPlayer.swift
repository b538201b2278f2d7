// OSCPlayer: performs OSC messages on a board.

import Foundation
import HapticBridge
import ProgramProtocols
import SerialPorts

/// The numbers of messages, by outcome.
struct OSCStatistics {
    var messages = 0
    /// Datagrams that are not OSC.
    var malformed = 0
    /// Messages with an unknown address, or with arguments that do not fit their address.
    var unknown = 0
    /// Messages that arrived after the time of their bundle; `latest` is the maximum delay in
    /// seconds.
    var late = 0
    var latest = 0.0
    /// Messages whose bundle is too far in the future.
    var refused = 0
    /// Taps, patterns and levels that were dropped because too many arrived at the same time.
    var dropped = 0
    /// Effects that could not be played because the board is disconnected or reports a fault, or
    /// because the requested pattern is invalid.
    var unplayable = 0
    /// Levels that ended because no message renewed them.
    var expired = 0
}

/// Plays messages on engines. Only one thread at a time may use the player.
final class OSCPlayer {
    private let device: HapticDevice
    private let localities: Set<String>
    private let hold: TimeInterval
    private let onFailure: @Sendable (HapticError) -> Void
    private let onStart: (HapticEngine) -> Void
    private var interpreter: OSCInterpreter
    private var levels = OSCLevels()
    private var players: [String?: OSCLocalityPlayer] = [:]
    /// The reasons why engines at localities could not be started.
    private var refusals: [String?: HapticError] = [:]
    private(set) var statistics = OSCStatistics()
    /// The range of the start times of pending or recent bundles, on the clock of the engine.
    private var awaited: ClosedRange<TimeInterval>?
    /// The maximum onset error while bundles were pending.
    private var onsetError: Duration?

    /// Half a tick of the streams of the board.
    private static let halfTick = Duration.microseconds(125)
    /// The maximum time until the board reports an onset error, in seconds.
    private static let reportTime = 0.02

    /// Creates a player of OSC messages on a board.
    ///
    /// - Parameters:
    ///   - localities: the localities of the board.
    ///   - hold: the duration of a level without a new message, in seconds.
    ///   - onFailure: a closure that is called on a queue of an engine if the board can no longer
    ///     play.
    init(
        _ device: HapticDevice, rules: [OSCRule], localities: [String], hold: TimeInterval,
        onFailure: @escaping @Sendable (HapticError) -> Void,
        onStart: @escaping (HapticEngine) -> Void
    ) {
        self.device = device
        self.onStart = onStart
        self.onFailure = onFailure
        self.localities = Set(localities)
        self.hold = hold
        interpreter = OSCInterpreter(rules: rules, localities: localities)
    }

    /// Starts the engines for the default locality and for the localities in the rules.
    func start(_ rules: [OSCRule]) throws {
        for locality in Set([nil] + rules.map { supportedLocality($0.locality) }) {
            _ = try player(at: locality)
        }
    }

    /// The maximum error of the synchronized clock of the board; nil until it is known.
    var clockBound: Duration? { players[nil]?.engine.statistics.clockBound }

    /// The maximum error of the start times of bundles: the greater of the clock error and the
    /// onset error, plus half a tick; nil until both are known.
    var bundleBound: Duration? {
        guard let error = [onsetError, clockBound].compactMap({ $0 }).max() else { return nil }
        return error + Self.halfTick
    }

    /// Returns the locality on which to play for a requested locality; nil, which means the default
    /// locality, if the board does not have the requested one.
    private func supportedLocality(_ locality: String?) -> String? {
        locality.flatMap { localities.contains($0) ? $0 : nil }
    }

    /// Returns the player at a locality. The engine of a locality is started for the first message.
    private func player(at locality: String?) throws -> OSCLocalityPlayer {
        if let player = players[locality] { return player }
        if let refusal = refusals[locality] { throw refusal }
        let engine: HapticEngine
        do {
            engine = try .forMessages(
                on: device, at: locality.map(HapticLocality.init(rawValue:)) ?? .default,
                onFailure: onFailure)
        } catch let error as HapticError {
            refusals[locality] = error
            if locality != nil { onFailure(error) }
            throw error
        }
        onStart(engine)
        let player = OSCLocalityPlayer(engine)
        players[locality] = player
        return player
    }

    /// The time of the engines' clock.
    private var currentTime: TimeInterval { players[nil]?.engine.currentTime ?? 0 }

    // MARK: Messages

    /// Performs the messages of a datagram.
    func receive(_ datagram: [UInt8]) {
        guard let packet = try? OSCReader.read(datagram) else {
            statistics.malformed += 1
            return
        }
        let now = currentTime
        let unixTime = hostClock.date.timeIntervalSince1970
        for (message, tag) in packet.messages {
            statistics.messages += 1
            let timing = OSCTiming(tag, now: now, unixTime: unixTime)
            switch timing {
            case .atOnce: handle(message, at: nil, now: now)
            case .at(let time):
                expect(time, now: now)
                handle(message, at: time, now: now)
            case .late(let delay):
                statistics.late += 1
                statistics.latest = max(statistics.latest, delay)
                handle(message, at: nil, now: now)
            case .tooEarly: statistics.refused += 1
            }
        }
    }

    private func handle(_ message: OSCMessage, at time: TimeInterval?, now: TimeInterval) {
        switch interpreter.outcome(of: message, at: time ?? now) {
        case .effects(let effects):
            for effect in effects {
                do {
                    if !(try perform(effect, at: time, now: now)) { statistics.dropped += 1 }
                } catch {
                    statistics.unplayable += 1
                }
            }
        case .unknown, .unsuitable: statistics.unknown += 1
        }
    }

    /// Performs an effect. Returns false if the effect is dropped, because too many effects are
    /// playing or a tap follows the previous tap too closely.
    private func perform(
        _ effect: OSCEffect, at time: TimeInterval?, now: TimeInterval
    ) throws -> Bool {
        let locality = supportedLocality(effect.locality)
        switch effect.kind {
        case .level(let key, let intensity, let sharpness, let hold):
            let level = OSCLevels.Level(intensity: intensity, sharpness: sharpness)
            let end = (time ?? now) + (hold ?? self.hold)
            guard levels.hold(level, of: key, at: locality, until: end) else { return false }
            try player(at: locality).setLevel(levels.level(at: locality), at: time)
        case .tap(let intensity, let sharpness):
            return try player(at: locality).tap(
                intensity: intensity, sharpness: sharpness, at: time)
        case .play(let name):
            guard let pattern = try OSCPatterns.named(name) else {
                statistics.unknown += 1
                return true
            }
            return try player(at: locality).play(pattern, at: time)
        case .envelopes(let text, let delay):
            let pattern = try OSCPatterns.clip(envelopes: text)
            let begin = delay > 0 ? (time ?? now) + delay : time
            return try player(at: locality).play(pattern, at: begin)
        case .sharpness(let value): try player(at: locality).setSharpness(value)
        case .gain(let value):
            for player in players(at: effect.locality) { try player.setGain(value) }
        case .stop:
            for player in players(at: effect.locality) { player.stop() }
            levels.release(at: effect.locality)
        }
        return true
    }

    private func players(at locality: String?) -> [OSCLocalityPlayer] {
        locality == nil
            ? Array(players.values) : [players[supportedLocality(locality)]].compactMap(\.self)
    }

    // MARK: Time

    private func expect(_ time: TimeInterval, now: TimeInterval) {
        let open = awaited.flatMap { now > $0.upperBound + Self.reportTime ? nil : $0 }
        awaited = min(open?.lowerBound ?? time, time)...max(open?.upperBound ?? time, time)
    }

    /// Records the onset error while bundles start.
    private func recordOnsets(at now: TimeInterval) {
        guard let awaited, now >= awaited.lowerBound, now <= awaited.upperBound + Self.reportTime
        else { return }
        onsetError = (players.values.map(\.engine.statistics.onsetError) + [onsetError])
            .compactMap { $0 }.max()
    }

    /// Ends levels that have expired, and sends deferred levels.
    func tick() {
        let now = currentTime
        recordOnsets(at: now)
        let expired = levels.expire(at: now)
        statistics.expired += expired.count
        for locality in expired.localities {
            try? player(at: locality).setLevel(levels.level(at: locality), at: nil)
        }
        for player in players.values { try? player.tick() }
    }

    /// Brings everything to rest and waits until it is at rest.
    func end() {
        for player in players.values { player.stop() }
        players.values.map(\.engine).stopAll()
        players = [:]
    }
}
