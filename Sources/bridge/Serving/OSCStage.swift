// OSCStage: carries out on a board what messages ask for.

import Foundation
import HapticBridge
import OpenSoundControl
import SerialPorts

/// Counts of messages, by what has come of them.
struct OSCStatistics {
    var messages = 0
    /// Datagrams that are no OSC.
    var malformed = 0
    /// Messages with an address that means nothing here, and ones with other arguments than their
    /// address has.
    var unknown = 0
    /// Messages that came after the time of their bundle, and by how many seconds at most.
    var late = 0
    var latest = 0.0
    /// Messages whose bundle lies too far ahead.
    var refused = 0
    /// Taps, patterns and levels that were left out because too many came at once.
    var dropped = 0
    /// Effects that the board could not play: it is gone, it has a fault, or what they name cannot be
    /// played.
    var unplayable = 0
    /// Levels that fell to rest because no message renewed them.
    var expired = 0
}

/// The engines on which messages play. Used by one thread at a time.
final class OSCStage {
    private let device: HapticDevice
    private let localities: Set<String>
    private let hold: TimeInterval
    private let onFailure: @Sendable (HapticError) -> Void
    private var score: OSCScore
    private var levels = OSCLevels()
    private var voices: [String?: OSCVoice] = [:]
    private(set) var statistics = OSCStatistics()
    /// The times of the engine's clock between which bundles take effect, of the latest ones.
    private var awaited: ClosedRange<TimeInterval>?
    /// The greatest error of a beginning while bundles were awaited.
    private var onsetError: Duration?

    /// Half the time between two ticks of the board's streams.
    private static let halfTick = Duration.microseconds(125)
    /// The time in seconds after which the board has reported how late it began.
    private static let reportTime = 0.02

    /// - Parameters:
    ///   - localities: those of the board.
    ///   - hold: the time in seconds for which a level holds without a message.
    ///   - onFailure: called on a queue of an engine when the board can no longer play.
    init(
        _ device: HapticDevice, rules: [OSCRule], localities: [String], hold: TimeInterval,
        onFailure: @escaping @Sendable (HapticError) -> Void
    ) {
        self.device = device
        self.onFailure = onFailure
        self.localities = Set(localities)
        self.hold = hold
        score = OSCScore(rules: rules, localities: localities)
    }

    /// Starts the engines for the board's default and for the localities of the rules.
    func start(_ rules: [OSCRule]) throws {
        for locality in Set([nil] + rules.map { place($0.locality) }) {
            try voice(at: locality).engine.start()
        }
    }

    /// The greatest error of the board's clock; nil before it is known.
    var clockBound: Duration? { voices[nil]?.engine.statistics.clockBound }

    /// The greatest error with which the times of bundles were met: that of the clock,
    /// half a tick, and the time by which the board began late; nil before anything is known.
    var bundleBound: Duration? {
        guard let error = [onsetError, clockBound].compactMap({ $0 }).max() else { return nil }
        return error + Self.halfTick
    }

    /// The locality of the board at which a locality is felt: one that it lacks, at its default.
    private func place(_ locality: String?) -> String? {
        locality.flatMap { localities.contains($0) ? $0 : nil }
    }

    private func voice(at locality: String?) -> OSCVoice {
        if let voice = voices[locality] { return voice }
        let engine = HapticEngine(
            device: device, locality: locality.map(HapticLocality.init(rawValue:)) ?? .default)
        engine.resetHandler = { [weak engine] in engine?.start(completionHandler: nil) }
        engine.stoppedHandler = { [weak engine, onFailure] _ in
            onFailure(engine?.failure ?? .unknownEnd)
        }
        engine.reconnects = true
        let voice = OSCVoice(engine)
        voices[locality] = voice
        return voice
    }

    // MARK: Messages

    /// Carries out a datagram.
    func receive(_ datagram: [UInt8]) {
        guard let packet = try? OSCReader.read(datagram) else {
            statistics.malformed += 1
            return
        }
        let now = voice(at: nil).engine.currentTime
        let unixTime = hostClock.date.timeIntervalSince1970
        for (message, tag) in packet.messages {
            statistics.messages += 1
            let timing = OSCTiming(tag, now: now, unixTime: unixTime)
            switch timing {
            case .atOnce: take(message, at: nil, now: now)
            case .at(let time):
                expect(time, now: now)
                take(message, at: time, now: now)
            case .late(let delay):
                statistics.late += 1
                statistics.latest = max(statistics.latest, delay)
                take(message, at: nil, now: now)
            case .tooEarly: statistics.refused += 1
            }
        }
    }

    private func take(_ message: OSCMessage, at time: TimeInterval?, now: TimeInterval) {
        switch score.outcome(of: message, at: time ?? now) {
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

    /// Carries out an effect. Returns false if there is no room for it.
    private func perform(
        _ effect: OSCEffect, at time: TimeInterval?, now: TimeInterval
    ) throws -> Bool {
        let locality = place(effect.locality)
        switch effect.kind {
        case .level(let key, let intensity, let sharpness, let hold):
            let level = OSCLevels.Level(intensity: intensity, sharpness: sharpness)
            let end = (time ?? now) + (hold ?? self.hold)
            guard levels.hold(level, of: key, at: locality, until: end) else { return false }
            try voice(at: locality).setLevel(levels.level(at: locality), at: time)
        case .tap(let intensity, let sharpness):
            return try voice(at: locality).tap(
                intensity: intensity, sharpness: sharpness, at: time)
        case .play(let name):
            guard let pattern = try OSCPatterns.named(name) else {
                statistics.unknown += 1
                return true
            }
            return try voice(at: locality).play(pattern, at: time)
        case .envelopes(let text, let delay):
            let pattern = try OSCPatterns.clip(envelopes: text)
            let begin = delay > 0 ? (time ?? now) + delay : time
            return try voice(at: locality).play(pattern, at: begin)
        case .sharpness(let value): try voice(at: locality).setSharpness(value)
        case .gain(let value):
            for voice in voices(at: effect.locality) { try voice.setGain(value) }
        case .stop:
            for voice in voices(at: effect.locality) { voice.stop() }
            levels.release(at: effect.locality)
        }
        return true
    }

    private func voices(at locality: String?) -> [OSCVoice] {
        locality == nil ? Array(voices.values) : [voice(at: place(locality))]
    }

    // MARK: Time

    private func expect(_ time: TimeInterval, now: TimeInterval) {
        let open = awaited.flatMap { now > $0.upperBound + Self.reportTime ? nil : $0 }
        awaited = min(open?.lowerBound ?? time, time)...max(open?.upperBound ?? time, time)
    }

    /// Notes how late the board began while bundles take effect.
    private func noteOnsets(at now: TimeInterval) {
        guard let awaited, now >= awaited.lowerBound, now <= awaited.upperBound + Self.reportTime
        else { return }
        onsetError = (voices.values.map(\.engine.statistics.onsetError) + [onsetError])
            .compactMap { $0 }.max()
    }

    /// Lets levels fall to rest whose time is over, and sends levels that waited.
    func tick() {
        let now = voice(at: nil).engine.currentTime
        noteOnsets(at: now)
        let expired = levels.expire(at: now)
        statistics.expired += expired.count
        for locality in expired.localities {
            try? voice(at: locality).setLevel(levels.level(at: locality), at: nil)
        }
        for voice in voices.values { try? voice.tick() }
    }

    /// Brings everything to rest, and returns when it is.
    func end() {
        let isAtRest = hostClock.makeSemaphore()
        for voice in voices.values {
            voice.stop()
            voice.engine.stop { _ in isAtRest.signal() }
        }
        for _ in voices { isAtRest.wait() }
        voices = [:]
    }
}
