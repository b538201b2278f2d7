// PatternPlayback: a pattern that plays on an engine and can be replaced while it plays.

import BridgeLink
import Foundation
import HapticBoards
import HapticCompiler
import HapticPatterns
import SerialPorts

/// Plays an interval of a pattern, once or repeatedly. Another version of the pattern, or another
/// playback, takes its place in one step. Used by one thread at a time.
package final class PatternPlayback {
    /// The part of a pattern that is played, and how.
    package struct Options {
        /// The interval, in microseconds of the pattern; a repetition plays all of it.
        package var range: Range<Microseconds>
        /// The offset in the pattern at which the first pass begins, within `range`.
        package var start: Microseconds
        /// True if the interval is repeated until the playback is cancelled.
        package var isLooped = false
        /// The speed at which the pattern plays, 1/64...64.
        package var rate = 1.0
        /// The factor that is applied to the intensity, 0...1.
        package var gain = 1.0
        /// The length of the parts in which a long pattern is passed to the engine, in microseconds,
        /// so that each edit of it is fast; nil to pass it as a whole, which a program that may be
        /// delayed needs.
        package var portion: Microseconds?

        package init(_ range: Range<Microseconds>, from start: Microseconds? = nil) {
            (self.range, self.start) = (range, start ?? range.lowerBound)
        }
    }

    /// A player of one pass, and its end.
    private struct Pass {
        let player: EnginePlayer
        /// The host time at which the player was over; nil before that.
        let end: LockedValue<HostTime?>
        /// The host time before which the player is over only if it is stopped or fails.
        let earliestEnd: HostTime
    }

    /// The offset in the pattern that plays at a host time.
    private struct Anchor {
        let offset: Microseconds
        let time: HostTime
    }

    private let engine: HapticEngine?
    private let file: URL?
    private let onEnd: @Sendable ((any Error)?) -> Void
    private var pattern: HapticPattern
    private var options: Options
    /// The passes that may be playing, the newest last.
    private var passes: [Pass] = []
    private var anchor: Anchor
    /// The anchor of the repetition that still plays while the next one waits in the engine.
    private var previousAnchor: Anchor?
    /// The offset up to which the newest player has the pattern.
    private var passedEnd: Microseconds = 0
    /// True if something other than this playback stopped the newest player.
    private var isStopped = false

    /// The time between a call and the start that it requests, in microseconds, in which the board
    /// receives the change.
    private static let lead: Microseconds = 4_000
    /// The time before the end of a pass, or of a portion, at which the next one is passed to the
    /// engine, in microseconds.
    private static let repetitionLead: Microseconds = 250_000
    private static let portionLead: Microseconds = 600_000

    /// Starts to play.
    ///
    /// - Parameters:
    ///   - file: the AHAP file of the pattern, which names its sounds; nil if there is none.
    ///   - engine: the engine; nil to play nothing while the position advances.
    ///   - time: the host time of the start; nil for as soon as possible.
    ///   - replaced: a playback that stops when this one begins; nil for none.
    ///   - onEnd: called on a queue of the engine when a player is over, with nil or with the reason
    ///     why the engine could not continue to play.
    /// - Throws: ``HapticError`` of the engine.
    package init(
        _ pattern: HapticPattern, in file: URL? = nil, on engine: HapticEngine?, _ options: Options,
        at time: HostTime? = nil, replacing replaced: PatternPlayback? = nil,
        onEnd: @escaping @Sendable ((any Error)?) -> Void = { _ in }
    ) throws(HapticError) {
        (self.pattern, self.file, self.engine, self.options) = (pattern, file, engine, options)
        self.onEnd = onEnd
        let earliest = Self.earliestStart(of: pattern, on: engine)
        anchor = Anchor(offset: options.start, time: time ?? earliest)
        passes = replaced?.passes ?? []
        replaced?.passes = []
        try begin()
    }

    /// Returns the earliest host time at which a pattern can start, with its sounds in step if it has
    /// any that play.
    private static func earliestStart(of pattern: HapticPattern, on engine: HapticEngine?)
        -> HostTime
    {
        let start = Link.now() + lead
        guard let engine, !engine.playsHapticsOnly,
            pattern.events.contains(where: { !$0.type.isHaptic })
        else { return start }
        return max(start, HostTime(microseconds: Int64((engine.earliestSound * 1e6).rounded(.up))))
    }

    // MARK: Passes

    /// Starts a player at the anchor, in place of those that play.
    private func begin() throws(HapticError) {
        let range = options.range
        passedEnd =
            options.portion.map { min(range.upperBound, anchor.offset + scaled($0)) }
            ?? range.upperBound
        guard let engine else { return }
        let part =
            options.portion == nil ? pattern : pattern.excerpt(from: anchor.offset, to: passedEnd)
        let pass = try pass(of: part, on: engine)
        try pass.player.start(
            atTime: anchor.time.seconds, fromOffset: anchor.offset.seconds,
            replacing: passes.map(\.player))
        passes = [pass]
        if range.upperBound < pattern.playedLength, !options.isLooped {
            try pass.player.stop(atTime: time(of: range.upperBound).seconds)
        }
    }

    private func pass(
        of part: HapticPattern, on engine: HapticEngine
    ) throws(HapticError) -> Pass {
        let player = try EnginePlayer(
            part, in: file, endless: .limited, of: engine.core, keeping: engine)
        let end = LockedValue<HostTime?>(nil)
        player.completionHandler = { [onEnd] error in
            end.withLock { $0 = Link.now() }
            onEnd(error)
        }
        player.playbackRate = Float(options.rate)
        if options.gain < 1 {
            let parameter = CHHapticDynamicParameter(
                parameterID: .hapticIntensityControl, value: Float(options.gain), relativeTime: 0)
            try player.sendParameters([parameter], atTime: CHHapticTimeImmediate)
        }
        let lastStart =
            part.events.lazy.map {
                $0.time + ($0.type == .hapticTransient ? 0 : $0.length ?? 0)
            }.max() ?? 0
        return Pass(
            player: player, end: end,
            earliestEnd: time(of: max(anchor.offset, min(lastStart, options.range.upperBound))))
    }

    private func scaled(_ duration: Microseconds) -> Microseconds {
        Microseconds(Double(duration) * options.rate)
    }

    // MARK: Position

    /// The host time at which an offset plays, in the present repetition.
    private func time(of offset: Microseconds) -> HostTime {
        anchor.time + Microseconds(Double(offset - anchor.offset) / options.rate)
    }

    /// The offset at which the first pass began, in microseconds of the pattern.
    package var start: Microseconds { options.start }

    /// Returns the offset in the pattern that plays at a time, in microseconds.
    package func offset(at time: HostTime) -> Microseconds {
        let offset = anchor.offset + scaled(time - anchor.time)
        return min(max(offset, options.range.lowerBound), options.range.upperBound)
    }

    /// Returns whether nothing of the playback plays any more, or is going to.
    package func isOver(at time: HostTime) -> Bool {
        noteStop()
        return isStopped || !options.isLooped && time >= self.time(of: options.range.upperBound)
    }

    /// Notes that something else has stopped the newest player, which is then not repeated.
    private func noteStop() {
        guard let pass = passes.last, let end = pass.end.withLock(\.self) else { return }
        if end < pass.earliestEnd { isStopped = true }
    }

    // MARK: Changes

    /// Continues with another version of the pattern at the present offset.
    ///
    /// - Parameter gain: the factor that is applied to the intensity, 0...1.
    /// - Throws: ``HapticError`` of the engine.
    package func revise(to other: HapticPattern, gain: Double) throws(HapticError) {
        (pattern, options.gain) = (other, gain)
        let now = Link.now() + Self.lead
        // The repetition that plays is revised too; the next one is passed to the engine again.
        if now < anchor.time, let previousAnchor { anchor = previousAnchor }
        previousAnchor = nil
        if now >= anchor.time { anchor = Anchor(offset: offset(at: now), time: now) }
        try begin()
    }

    /// Passes the next repetition or portion to the engine when it is due. To be called at least every
    /// 50 ms.
    ///
    /// - Throws: ``HapticError`` of the engine.
    package func advance(at now: HostTime) throws(HapticError) {
        noteStop()
        guard !isStopped else { return }
        let end = options.range.upperBound
        if passedEnd < end, now >= time(of: passedEnd) - Self.portionLead {
            return try revise(to: pattern, gain: options.gain)
        }
        guard options.isLooped, now >= time(of: end) - Self.repetitionLead else { return }
        let (before, endTime) = (passes.last, time(of: end))
        previousAnchor = anchor
        anchor = Anchor(offset: options.range.lowerBound, time: endTime)
        passes = []
        try begin()
        guard let before else { return }
        try before.player.stop(atTime: endTime.seconds)
        passes.insert(before, at: 0)
    }

    /// Stops at once.
    package func cancel() {
        for pass in passes { try? pass.player.cancel() }
        passes = []
        isStopped = true
    }
}
