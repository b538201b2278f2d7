// PatternPlayback: a pattern that plays on an engine and can be replaced while it plays.

import BridgeLink
import Foundation
import HapticBoards
import HapticCompiler
import HapticPatterns
import SerialPorts

/// The playback of an interval of a pattern, once or repeatedly. The pattern can be replaced with a
/// different version, and the playback with a different playback, without a gap. Only one thread at
/// a time may use the playback.
package final class PatternPlayback {
    /// The interval of a pattern to play, and the options of its playback.
    package struct Options {
        /// The interval, in microseconds of the pattern. A repetition plays the whole interval.
        package var range: Range<Microseconds>
        /// The offset in the pattern at which the first pass begins, within `range`.
        package var start: Microseconds
        /// True if the interval is repeated until the playback is canceled.
        package var isLooped = false
        /// The speed at which the pattern plays, 1/64...64.
        package var rate = 1.0
        /// The factor that is applied to the intensity, 0...1.
        package var gain = 1.0
        /// The length of each portion of a long pattern that is passed to the engine, in
        /// microseconds. Dividing the pattern into portions makes each edit fast. If the length is
        /// nil, the pattern is passed as a whole, so that the pattern continues to play even if the
        /// program is delayed.
        package var portion: Microseconds?

        package init(_ range: Range<Microseconds>, from start: Microseconds? = nil) {
            (self.range, self.start) = (range, start ?? range.lowerBound)
        }
    }

    /// The player of one pass, and the time at which the player ends.
    private struct Pass {
        let player: EnginePlayer
        /// The host time at which the player ended; nil if the player has not ended.
        let end: LockedValue<HostTime?>
        /// The earliest host time at which the player can end normally. A player that ends earlier
        /// was stopped or has failed.
        let earliestEnd: HostTime
    }

    /// An offset in the pattern, and the host time at which this offset plays.
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
    /// The anchor of the repetition that still plays while the next repetition waits in the engine.
    private var previousAnchor: Anchor?
    /// The offset up to which the pattern has been passed to the newest player.
    private var passedEnd: Microseconds = 0
    /// True if something other than this playback stopped the newest player.
    private var isStopped = false

    /// The time between a call and the start that the call requests, in microseconds. The board
    /// receives the change within this time.
    private static let lead: Microseconds = 4_000
    /// The interval, in microseconds, between passing the next pass or portion to the engine and
    /// the end of the current one.
    private static let repetitionLead: Microseconds = 250_000
    private static let portionLead: Microseconds = 600_000

    /// Starts to play.
    ///
    /// - Parameters:
    ///   - file: the AHAP file of the pattern, whose folder contains its sounds; nil if there is no
    ///     file.
    ///   - engine: the engine; nil if only the position advances and nothing is played.
    ///   - time: the host time of the start; nil to start as soon as possible.
    ///   - replaced: a playback that stops when this playback begins; nil if there is none.
    ///   - onEnd: a closure that is called on a queue of the engine when a player has ended, with
    ///     nil or with the reason why the engine could not continue to play.
    /// - Throws: a ``HapticError`` if the engine cannot play.
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
        // If this playback cannot begin, the replaced playback continues.
        try begin()
        replaced?.passes = []
    }

    /// Returns the earliest host time at which a pattern can start. For a pattern with sounds, and
    /// on voice coils, the time is not earlier than the earliest time for sound, so that sounds and
    /// haptics start in step.
    private static func earliestStart(of pattern: HapticPattern, on engine: HapticEngine?)
        -> HostTime
    {
        let start = Link.now() + lead
        guard let engine else { return start }
        let hasSound =
            !engine.playsHapticsOnly && pattern.events.contains { !$0.type.isHaptic }
        guard hasSound || engine.core.coils != nil else { return start }
        return max(start, engine.earliestSoundTime)
    }

    // MARK: Passes

    /// Starts a player at the anchor. This player replaces the players that are playing.
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

    /// Returns the host time at which an offset plays in the current repetition.
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

    /// Returns true if the playback has ended, so nothing is playing and nothing will be played.
    package func isOver(at time: HostTime) -> Bool {
        detectStop()
        return isStopped || !options.isLooped && time >= self.time(of: options.range.upperBound)
    }

    /// Detects whether the newest player was stopped by anything other than this playback; if so,
    /// the player is not repeated.
    private func detectStop() {
        guard let pass = passes.last, let end = pass.end.withLock(\.self) else { return }
        if end < pass.earliestEnd { isStopped = true }
    }

    // MARK: Changes

    /// Continues with another version of the pattern at the current offset.
    ///
    /// - Parameter gain: the factor that is applied to the intensity, 0...1.
    /// - Throws: a ``HapticError`` if the engine cannot play.
    package func revise(to other: HapticPattern, gain: Double) throws(HapticError) {
        (pattern, options.gain) = (other, gain)
        let now = Link.now() + Self.lead
        // The current repetition is also revised; the next repetition is passed to the engine
        // again.
        if now < anchor.time, let previousAnchor { anchor = previousAnchor }
        previousAnchor = nil
        if now >= anchor.time { anchor = Anchor(offset: offset(at: now), time: now) }
        try begin()
    }

    /// Passes the next repetition or portion to the engine when the repetition or portion is due.
    /// Must be called at least every 50 ms.
    ///
    /// - Throws: a ``HapticError`` if the engine cannot play.
    package func advance(at now: HostTime) throws(HapticError) {
        detectStop()
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

    /// Stops immediately.
    package func cancel() {
        for pass in passes { try? pass.player.cancel() }
        passes = []
        isStopped = true
    }
}
