// PlayedPass: a pattern on its way from a place to its end, and on through the passes of a loop.

import BridgeLink
import Foundation
import HapticBridge
import HapticPatterns
import SerialPorts

/// A pattern that plays through an engine, in place of what played before.
final class PlayedPass {
    /// The place in the pattern from which the first pass plays, in microseconds.
    let start: Microseconds
    private let engine: HapticEngine
    private let pattern: CHHapticPattern
    /// The place from which the pattern is repeated; nil to play it once.
    private let repetition: Microseconds?
    private let share: Double
    /// The player of the present pass, behind that of the one before, which may still play.
    private var players: [any CHHapticAdvancedPatternPlayer]
    /// The host time at which the last player was over, which its engine tells; nil before.
    private var over: LockedValue<HostTime?>
    /// The host time at which the present pass ends.
    private var end: HostTime
    /// The host time before which nothing but a stop ends the present player.
    private var earliestEnd: HostTime
    /// True if something else has stopped the present player.
    private var isStopped = false

    /// The time after which a pass begins, in microseconds: what a change takes to the board, so that
    /// the end of the pass is known.
    private static let lead: Microseconds = 4_000
    /// The shortest repetition, in microseconds, so that a tap is felt as one.
    private static let shortest: Microseconds = 500_000
    /// The time before a pass at which it is given to the engine.
    private static let ahead: Microseconds = 250_000

    /// Begins to play.
    ///
    /// - Parameters:
    ///   - share: the factor that weakens the pattern, 0...1.
    ///   - replaced: what stops when this begins; nil for nothing.
    /// - Throws: `HapticError` of the engine.
    init(
        _ pattern: CHHapticPattern, on engine: HapticEngine, from start: Microseconds,
        repeatingFrom repetition: Microseconds?, at share: Double, replacing replaced: PlayedPass?
    ) throws {
        (self.pattern, self.engine, self.share) = (pattern, engine, share)
        (self.start, self.repetition) = (start, repetition)
        let player: any CHHapticAdvancedPatternPlayer
        (player, over) = try Self.newPlayer(of: pattern, on: engine, at: share)
        players = [player]
        let time = Self.earliestStart(of: pattern.value, on: engine)
        end = Self.end(of: pattern.value, from: start, at: time)
        earliestEnd = Self.earliestEnd(of: pattern.value, from: start, at: time)
        try engine.start(
            player, atTime: time.seconds, fromOffset: start.seconds,
            replacing: replaced?.players ?? [])
    }

    /// Returns the host time at which the pattern can begin, with its sounds in step if it has any.
    private static func earliestStart(
        of pattern: HapticPattern, on engine: HapticEngine
    ) -> HostTime {
        let start = Link.now() + lead
        let isHeard = !engine.playsHapticsOnly && pattern.events.contains { !$0.type.isHaptic }
        guard isHeard else { return start }
        return max(
            start, HostTime(microseconds: Int64((engine.earliestSound * 1e6).rounded(.up))))
    }

    private static func newPlayer(
        of pattern: CHHapticPattern, on engine: HapticEngine, at share: Double
    ) throws -> (any CHHapticAdvancedPatternPlayer, LockedValue<HostTime?>) {
        let player = try engine.makeAdvancedPlayer(with: pattern)
        let over = LockedValue<HostTime?>(nil)
        player.completionHandler = { _ in over.withLock { $0 = Link.now() } }
        try player.weaken(to: share)
        return (player, over)
    }

    private static func end(
        of pattern: HapticPattern, from place: Microseconds, at time: HostTime
    ) -> HostTime {
        time + max(pattern.length - place, shortest)
    }

    private static func earliestEnd(
        of pattern: HapticPattern, from place: Microseconds, at time: HostTime
    ) -> HostTime {
        let last = pattern.events.map {
            $0.time + ($0.type == .hapticTransient ? 0 : $0.length ?? 0)
        }
        return time + max((last.max() ?? 0) - place, 0)
    }

    /// True if anything of the pattern plays or is about to.
    var isPlaying: Bool { over.withLock { $0 == nil } }

    /// Begins the next pass if it is near. A player that something else has stopped is not repeated.
    ///
    /// - Throws: `HapticError` of the engine.
    func goOn(at now: HostTime) throws {
        if let over = over.withLock({ $0 }), over < earliestEnd { isStopped = true }
        guard let repetition, !isStopped, now >= end - Self.ahead else { return }
        let (next, nextOver) = try Self.newPlayer(of: pattern, on: engine, at: share)
        try engine.start(next, atTime: end.seconds, fromOffset: repetition.seconds)
        try players.last?.stop(atTime: end.seconds)
        (players, over) = ([players.last, next].compactMap(\.self), nextOver)
        earliestEnd = Self.earliestEnd(of: pattern.value, from: repetition, at: end)
        end = Self.end(of: pattern.value, from: repetition, at: end)
    }
}
