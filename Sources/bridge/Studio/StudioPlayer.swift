// StudioPlayer: what is felt of the document, on a board that other programs may use too.

import BridgeLink
import Foundation
import HapticBridge
import HapticCompiler
import HapticPatterns
import PatternEditing
import SerialPorts

/// An engine on the board, and what plays on it. Without a board, time passes all the same.
final class StudioPlayer {
    private let engine: HapticEngine
    private let device: HapticDevice
    private let inbox: StudioInbox
    private var playback: PatternPlayback?
    /// The level at the playhead while it is dragged.
    private var scrubbed: LevelPlayer?
    private var scrubEnd = HostTime.never
    /// The last time at which what is dragged began.
    private var tappedAt: HostTime = 0
    private var isStarting = false
    /// The number of the last start. A rest ends a start, of which nothing is reported then.
    private var startNumber = 0
    /// True if a rest that was asked for is not confirmed yet.
    private var isResting = false
    /// The pattern that has to play as soon as the engine has started.
    private var awaited: (() throws -> Void)?
    private var nextStart = HostTime.never
    /// The reason why there is no board; nil while there is one.
    private(set) var absence: HapticError?
    /// The factor that weakens what plays, 0...1.
    private(set) var gain = 1.0
    private var playbackGain: Double?
    /// True if the place that plays is kept secret, because it would tell which version plays.
    private var isBlind = false

    /// The time on either side of a point that is held, in microseconds.
    private static let around: Microseconds = 250_000
    /// The shortest time in which a tap or a short event that is dragged is felt twice, in
    /// microseconds.
    private static let tapInterval: Microseconds = 90_000
    /// The time for which the level at the playhead is held without another one, in microseconds.
    private static let scrubHold: Microseconds = 150_000
    /// The time after which a board is looked for again, in microseconds.
    private static let retry: Microseconds = 1_000_000
    /// The time for which what is dragged is felt without a move, in microseconds.
    private static let heldMax: Microseconds = 3_000_000
    /// The time for which something without an end plays, in microseconds.
    private static let endless: Microseconds = 5_000_000
    /// The parts in which a long pattern is passed to the engine, in microseconds.
    private static let portion: Microseconds = 3_000_000

    init(device: HapticDevice, locality: HapticLocality, inbox: StudioInbox) {
        (self.device, self.inbox) = (device, inbox)
        engine = HapticEngine(device: device, locality: locality)
        engine.stoppedHandler = { _ in inbox.post(.lost) }
        engine.resetHandler = { inbox.post(.lost) }
    }

    /// The name of the board in messages.
    var name: String { engine.port ?? device.servedPort?() ?? device.name }
    /// The port at which the board is served; nil for a board of this process.
    var port: String? { device.servedPort == nil ? nil : engine.port }
    /// The rendering for the actuators of the board; nil if there is no board.
    var rendering: BoardRendering? {
        engine.isRunning
            ? engine.board.map { BoardRendering(of: $0, options: CompilerOptions(), gain: 1) } : nil
    }
    /// True if the board is one of this process.
    var isVirtual: Bool { device.servedPort == nil }

    // MARK: The board

    /// Begins to connect, and tells the inbox how it went.
    func start() {
        guard !isStarting, !isResting, !engine.isRunning else { return }
        isStarting = true
        nextStart = .never
        startNumber += 1
        engine.start { [inbox, startNumber] in inbox.post(.started(startNumber, $0)) }
    }

    /// Notes that the engine has started, or could not be. Returns whether it is the start that is waited for.
    func note(started number: Int, _ error: (any Error)?) -> Bool {
        guard isStarting, number == startNumber else { return false }
        isStarting = false
        let awaited = self.awaited
        self.awaited = nil
        if error == nil { try? awaited?() }
        absence = error.map { HapticError(connecting: $0) }
        if error != nil { nextStart = Link.now() + Self.retry }
        return true
    }

    /// Notes that the engine has stopped by itself, or that the board was reset.
    func noteLoss() {
        (playback, scrubbed) = (nil, nil)
        absence = engine.failure ?? HapticError(.serverInterrupted, "the board was reset")
        nextStart = Link.now()
    }

    /// Brings what plays to rest, and tells the inbox when the board has confirmed it.
    func rest() {
        silence()
        guard !isResting else { return }
        (isResting, isStarting) = (true, false)
        engine.stop { [inbox] in inbox.post(.rested($0)) }
    }

    /// Notes that the rest is confirmed, or that there is nothing to confirm it.
    func noteRest() {
        isResting = false
        start()
    }

    /// Brings what plays to rest, and returns when the board has confirmed it.
    func end() {
        silence()
        engine.stoppedHandler = { _ in }
        engine.stopAndWait()
    }

    private func silence() {
        playback?.cancel()
        scrubbed?.stop()
        (playback, scrubbed, awaited) = (nil, nil, nil)
    }

    // MARK: Playing

    /// Plays a stretch of a pattern. Throws `HapticError`.
    ///
    /// - Parameter isBlind: whether the place that plays is kept secret.
    func play(
        _ playback: StudioPlayback, of pattern: HapticPattern, isBlind: Bool = false
    ) throws {
        let start = Microseconds(seconds: playback.start)
        let length = pattern.isEndless ? pattern.length + Self.endless : pattern.length
        let end = playback.end.map { Microseconds(seconds: $0) } ?? max(length, start)
        playbackGain = playback.gain
        try begin(
            pattern, start..<max(end, start + 50_000), from: start, isLooped: playback.isLooped,
            rate: playback.rate)
        self.isBlind = isBlind
    }

    /// Repeats what is around a place, in microseconds. Throws `HapticError`.
    func hold(_ place: Microseconds, of pattern: HapticPattern) throws {
        let start = max(0, place - Self.around)
        try begin(
            pattern, start..<place + Self.around, from: start, isLooped: true, rate: 1)
    }

    /// Has an edit felt: as it plays, or around what has changed. Throws `HapticError`.
    func take(_ pattern: HapticPattern, changed stretch: ChangedStretch?, isLive: Bool) throws {
        let now = Link.now()
        heldEnd = now + Self.heldMax
        if let playback, !playback.isOver(at: now), !isHeldForEdit || isLive {
            if isHeldForEdit, let stretch, try renew(pattern, stretch, now) { return }
            return try playback.revise(to: pattern, gain: share)
        }
        guard let stretch else { return }
        try audition(pattern, stretch, isLooped: isLive)
        isHeldForEdit = isLive
    }

    /// True if what plays is what is being dragged.
    private var isHeldForEdit = false
    private var heldStretch: Range<Microseconds>?
    /// The time at which what is dragged stops, unless it is moved again.
    private var heldEnd = HostTime.never

    /// Begins anew if what is dragged is over soon, or has left the stretch that plays. Returns whether
    /// it did.
    private func renew(
        _ pattern: HapticPattern, _ stretch: ChangedStretch, _ now: HostTime
    ) throws -> Bool {
        let isElsewhere = !(heldStretch?.contains(stretch.start) ?? false)
        let isShort = stretch.isTap || (1..<Self.around).contains(stretch.end - stretch.start)
        let isDueAgain = isShort && now - tappedAt >= Self.tapInterval
        guard isElsewhere || isDueAgain else { return false }
        try audition(pattern, stretch, isLooped: true)
        isHeldForEdit = true
        return true
    }

    /// Plays what has changed, beginning with it.
    private func audition(
        _ pattern: HapticPattern, _ stretch: ChangedStretch, isLooped: Bool
    ) throws {
        let around = Self.stretch(around: stretch)
        let start = isLooped ? stretch.start : around.lowerBound
        try begin(pattern, around, from: start, isLooped: isLooped, rate: 1)
        heldStretch = around
        tappedAt = Link.now()
    }

    /// The stretch that is felt while something is dragged: a level from its start on, and a tap or a
    /// point with what is around it.
    private static func stretch(around change: ChangedStretch) -> Range<Microseconds> {
        if change.end - change.start >= around {
            return change.start..<min(change.end, change.start + 4 * around)
        }
        return max(0, change.start - around)..<change.start + around
    }

    private func begin(
        _ pattern: HapticPattern, _ stretch: Range<Microseconds>, from place: Microseconds,
        isLooped: Bool, rate: Double
    ) throws {
        (isHeldForEdit, heldStretch, awaited) = (false, nil, nil)
        isBlind = false
        endScrub()
        if isStarting || isResting, absence == nil {
            awaited = { [unowned self] in
                let isBlind = self.isBlind
                try begin(pattern, stretch, from: place, isLooped: isLooped, rate: rate)
                self.isBlind = isBlind
            }
            return
        }
        var options = PatternPlayback.Options(stretch, from: place)
        (options.isLooped, options.rate, options.gain) = (isLooped, rate, share)
        options.portion = Self.portion
        playback = try PatternPlayback(
            pattern, on: engine.isRunning ? engine : nil, options, replacing: playback)
    }

    private var share: Double { playbackGain ?? gain }

    /// Sets the factor that weakens what plays, 0...1.
    func setGain(_ gain: Double, of pattern: HapticPattern?) throws {
        (self.gain, playbackGain) = (gain, nil)
        if let playback, let pattern { try playback.revise(to: pattern, gain: share) }
    }

    /// True if nothing is felt although it plays.
    var isMuted: Bool {
        get { engine.isMutedForHaptics }
        set { engine.isMutedForHaptics = newValue }
    }

    /// True if it is of use to look for the board.
    private var mayBeThere: Bool {
        guard let port = device.servedPort else { return true }
        guard let path = port() else { return false }
        return path.contains("://") || access(path, F_OK) == 0
    }

    // MARK: Scrubbing

    /// Holds a level until the next one, for some time at most. Throws `HapticError`.
    func scrub(_ level: LevelPlayer.Level, tap: (intensity: Double, sharpness: Double)?) throws {
        playback?.cancel()
        playback = nil
        guard engine.isRunning else { return }
        let player = scrubbed ?? LevelPlayer(engine)
        scrubbed = player
        scrubEnd = Link.now() + Self.scrubHold
        var level = level
        level.intensity *= share
        try player.set(level, at: nil)
        guard let tap else { return }
        let event = HapticEvent(
            .hapticTransient, time: 0, intensity: tap.intensity * share, sharpness: tap.sharpness)
        try engine.playPattern(HapticPattern(events: [event]))
    }

    private func endScrub() {
        scrubbed?.stop()
        scrubbed = nil
    }

    // MARK: Time

    /// The place that plays, in microseconds; nil if nothing does, or if it is kept secret.
    func position(at now: HostTime) -> Microseconds? { isBlind ? nil : playback?.offset(at: now) }

    /// Goes on with what plays. To be called at least every 50 ms. Returns whether something has
    /// come to its end.
    func attend(at now: HostTime) -> Bool {
        if now >= nextStart {
            nextStart = now + Self.retry
            if mayBeThere { start() }
        }
        if let scrubbed {
            try? scrubbed.tick()
            if now >= scrubEnd { endScrub() }
        }
        guard let playback else { return false }
        if isHeldForEdit, now >= heldEnd { playback.cancel() }
        if playback.isOver(at: now) {
            self.playback = nil
            return true
        }
        do { try playback.advance(at: now) } catch { self.playback = nil }
        return self.playback == nil
    }
}
