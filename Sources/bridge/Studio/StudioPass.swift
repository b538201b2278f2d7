// StudioPass: a stretch of a pattern on its way from its beginning to its end, and again in a loop.

import BridgeLink
import Foundation
import HapticBridge
import HapticPatterns
import PatternEditing
import SerialPorts

/// The pattern that plays at present. Its pattern can be another one from the next milliseconds on.
final class StudioPass {
    private let engine: HapticEngine?
    private var pattern: HapticPattern
    /// The stretch, in microseconds of the pattern.
    private let stretch: Range<Microseconds>
    private let isLooped: Bool
    private let rate: Double
    /// True if the stretch ends before the pattern does, so that a player has to be stopped.
    private let isCut: Bool
    /// The factor that weakens the pattern, 0...1.
    private var share: Double

    /// The players that may be heard of, the newest last.
    private var players: [any HapticAdvancedPatternPlayer] = []
    /// A place in the pattern, and the host time at which it plays.
    private var anchor: (place: Microseconds, time: HostTime)
    /// The anchor of the repetition that still plays while the next one has been given to the engine.
    private var anchorBefore: (place: Microseconds, time: HostTime)?
    /// The place up to which the newest player has the pattern.
    private var known: Microseconds = 0

    /// The time after which something begins, in microseconds: what it takes to the board.
    private static let lead: Microseconds = 4_000
    /// The time before a repetition at which it is given to the engine, in microseconds.
    private static let ahead: Microseconds = 150_000
    /// The part of a long pattern that is given to the engine at once, in microseconds.
    private static let portion: Microseconds = 3_000_000

    /// Begins to play.
    ///
    /// - Parameters:
    ///   - engine: the engine; nil to let only time pass.
    ///   - stretch: the stretch, of which a loop repeats all.
    ///   - place: where in the stretch it begins.
    ///   - share: the factor that weakens the pattern, 0...1.
    ///   - replaced: what stops when this begins; nil for nothing.
    /// - Throws: `HapticError` of the engine.
    init(
        _ pattern: HapticPattern, on engine: HapticEngine?, _ stretch: Range<Microseconds>,
        from place: Microseconds, isLooped: Bool, rate: Double, share: Double,
        replacing replaced: StudioPass?
    ) throws {
        (self.pattern, self.engine, self.stretch) = (pattern, engine, stretch)
        (self.isLooped, self.rate, self.share) = (isLooped, rate, share)
        isCut = stretch.upperBound < pattern.length || pattern.isEndless
        anchor = (place, Link.now() + Self.lead)
        players = replaced?.players ?? []
        replaced?.players = []
        try begin()
    }

    /// Begins at the anchor, in place of the players.
    private func begin() throws {
        let end = min(stretch.upperBound, anchor.place + portion)
        known = end
        guard let engine else { return }
        let player = try engine.makeAdvancedPlayer(
            of: pattern.excerpt(from: anchor.place, to: end))
        player.playbackRate = Float(rate)
        try player.weaken(to: share)
        try engine.start(
            player, atTime: anchor.time.seconds, fromOffset: anchor.place.seconds,
            replacing: players)
        players = [player]
        if isCut, !isLooped { try player.stop(atTime: time(of: stretch.upperBound).seconds) }
    }

    private var portion: Microseconds { Microseconds(Double(Self.portion) * rate) }

    /// The host time at which a place plays, in the present repetition.
    private func time(of place: Microseconds) -> HostTime {
        anchor.time + Microseconds(Double(place - anchor.place) / rate)
    }

    /// Returns the place that plays at a time.
    func place(at time: HostTime) -> Microseconds {
        let place = anchor.place + Microseconds(Double(time - anchor.time) * rate)
        return min(max(place, stretch.lowerBound), stretch.upperBound)
    }

    /// Returns whether the stretch is over at a time.
    func isOver(at time: HostTime) -> Bool {
        !isLooped && time >= self.time(of: stretch.upperBound)
    }

    /// Has another version of the pattern play on from where the present one is.
    func revise(to other: HapticPattern, share: Double) throws {
        (pattern, self.share) = (other, share)
        let now = Link.now() + Self.lead
        // The repetition that plays is revised too; the next one is given to the engine again.
        if now < anchor.time, let anchorBefore { anchor = anchorBefore }
        anchorBefore = nil
        guard now >= anchor.time else { return try begin() }
        anchor = (place(at: now), now)
        try begin()
    }

    /// Gives the engine what follows, in time. To be called at least every 50 ms.
    func goOn(at now: HostTime) throws {
        if known < stretch.upperBound, now >= time(of: known) - 4 * Self.ahead {
            return try revise(to: pattern, share: share)
        }
        guard isLooped, now >= time(of: stretch.upperBound) - Self.ahead else { return }
        let end = time(of: stretch.upperBound)
        let before = players.last
        anchorBefore = anchor
        anchor = (stretch.lowerBound, end)
        players = []
        try begin()
        if let before {
            try before.stop(atTime: end.seconds)
            players.insert(before, at: 0)
        }
    }

    /// Stops, at once.
    func cancel() {
        for player in players { try? player.cancel() }
        players = []
    }
}
