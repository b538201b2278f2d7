// StudioPlayer: plays the document on a board that other programs can use at the same time.

import BridgeLink
import Foundation
import HapticBridge
import HapticCompiler
import HapticPatterns
import SerialPorts
import ToolSupport

/// An engine on the board and its playback. The playback position also advances if there is no
/// board.
package final class StudioPlayer {
    let engine: HapticEngine
    let device: HapticDevice
    let locality: HapticLocality
    /// The axis of the accelerometer that is recorded.
    let axis: SensorAxis
    let inbox: StudioInbox
    private var playback: PatternPlayback?
    /// The player that plays the level at the playhead while the playhead is dragged.
    private var scrubbed: LevelPlayer?
    private var scrubEnd = HostTime.never
    /// The last time at which the dragged event was played from its start.
    private var tappedAt: HostTime = 0
    var isStarting = false
    /// The number of the last start of the engine. The results of earlier starts are ignored. The
    /// result of a start that was canceled by a request to come to rest is also ignored.
    private var startNumber = 0
    /// True if the board was asked to come to rest and has not yet confirmed that it is at rest.
    private(set) var isResting = false
    /// The measurement that uses the board; nil if the board is not being measured.
    var measurement: StudioMeasurement?
    /// The playback to start as soon as the engine has started.
    private var awaited: (() throws -> Void)?
    private var nextStart = HostTime.never
    /// The reason why there is no board; nil if a board is connected.
    package private(set) var absence: HapticError?
    /// The gain of the playback, 0...1.
    private(set) var gain = 1.0
    private var playbackGain: Double?
    /// True if the playback position is hidden, because it would reveal the version in a blind
    /// test.
    private var isBlind = false

    /// The length of the part of the pattern that is played before a held point, and of the part
    /// after it, in microseconds.
    private static let around: Microseconds = 250_000
    /// The minimum interval between two playbacks of a tap or a short event during a drag, in
    /// microseconds.
    private static let tapInterval: Microseconds = 90_000
    /// The maximum duration of the level at the playhead without an update, in microseconds.
    private static let scrubHold: Microseconds = 150_000
    /// The interval between two attempts to connect to a board, in microseconds.
    private static let retry: Microseconds = 1_000_000
    /// The time between the last move of a drag and the end of its playback, in microseconds.
    private static let heldMax: Microseconds = 3_000_000
    /// The time for which a pattern with an endless event continues to play after its length, in
    /// microseconds.
    private static let endless: Microseconds = 5_000_000
    /// The length of each portion of a long pattern that is passed to the engine, in microseconds.
    private static let portion: Microseconds = 3_000_000

    package init(
        device: HapticDevice, locality: HapticLocality, axis: SensorAxis, inbox: StudioInbox
    ) {
        (self.device, self.locality, self.axis, self.inbox) = (device, locality, axis, inbox)
        engine = HapticEngine(device: device, locality: locality)
        engine.playsHapticsOnly = true
        engine.stoppedHandler = { _ in inbox.post(.lost) }
        engine.faultsHandler = { inbox.post(.faults($0)) }
        engine.resetHandler = { inbox.post(.lost) }
    }

    /// The name of the board in messages.
    var name: String { engine.port ?? device.servedPort?() ?? device.name }
    /// Prints a remark about actuators that do not play although other actuators do.
    func remarkIdleActuators(_ output: OutputOptions) {
        output.remarkIdleActuators(of: engine, at: name)
    }

    /// The rendering for the actuators of the board; nil if there is no board.
    var rendering: BoardRendering? {
        engine.isRunning
            ? engine.board.map { BoardRendering(of: $0, options: CompilerOptions(), gain: 1) } : nil
    }
    /// True if the board is a virtual board in this process.
    var isVirtual: Bool { device.servedPort == nil }

    // MARK: The board

    /// Starts to connect to the board, and posts the result to the inbox.
    func start() {
        guard !isStarting, !isResting, measurement == nil, !engine.isRunning else { return }
        isStarting = true
        nextStart = .never
        startNumber += 1
        engine.start { [inbox, startNumber] in inbox.post(.started(startNumber, $0)) }
    }

    /// Handles the result of a start of the engine. Returns true if the result belongs to the
    /// pending start.
    func handle(started number: Int, _ error: (any Error)?) -> Bool {
        guard isStarting, number == startNumber else { return false }
        isStarting = false
        let awaited = self.awaited
        self.awaited = nil
        if error == nil { try? awaited?() }
        absence = error.map { HapticError(connecting: $0) }
        if error != nil { nextStart = Link.now() + Self.retry }
        return true
    }

    /// Handles an unexpected stop of the engine, or a reset of the board.
    func handleLoss() {
        (playback, scrubbed) = (nil, nil)
        absence = engine.failure ?? .boardWasReset
        nextStart = Link.now()
    }

    /// Stops the playback, and posts a message to the inbox when the board has confirmed that it is
    /// at rest.
    func rest() {
        silence()
        guard !isResting else { return }
        (isResting, isStarting) = (true, false)
        // The end of a measurement also confirms that the board is at rest.
        if let measurement { return measurement.cancel() }
        engine.stop { [inbox] in inbox.post(.rested($0)) }
    }

    /// Handles the board's confirmation that it is at rest, or the lack of this confirmation.
    func handleRest() {
        isResting = false
        start()
    }

    /// Stops the playback, and returns when the board has confirmed that it is at rest.
    func end() {
        silence()
        measurement?.cancelAndWait()
        engine.stoppedHandler = { _ in }
        engine.stopAndWait()
    }

    func silence() {
        playback?.cancel()
        scrubbed?.stop()
        (playback, scrubbed, awaited) = (nil, nil, nil)
    }

    // MARK: Playing

    /// Plays a range of a pattern. Throws `HapticError`.
    ///
    /// - Parameter isBlind: true if the playback position is hidden.
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

    /// Repeats the interval around a time in microseconds. Throws `HapticError`.
    func hold(_ time: Microseconds, of pattern: HapticPattern) throws {
        let start = max(0, time - Self.around)
        try begin(
            pattern, start..<time + Self.around, from: start, isLooped: true, rate: 1)
    }

    /// Plays the result of an edit: updates the current playback, or plays the changed range.
    /// Throws `HapticError`.
    func play(edited pattern: HapticPattern, changed range: ChangedRange?, isLive: Bool)
        throws
    {
        let now = Link.now()
        heldEnd = now + Self.heldMax
        if let playback, !playback.isOver(at: now), !isHeldForEdit || isLive {
            if isHeldForEdit, let range, try renew(pattern, range, now) { return }
            return try playback.revise(to: pattern, gain: effectiveGain)
        }
        guard let range else { return }
        try audition(pattern, range, isLooped: isLive)
        isHeldForEdit = isLive
    }

    /// True if the current playback plays the event that is being dragged.
    private var isHeldForEdit = false
    private var heldRange: Range<Microseconds>?
    /// The time at which the playback of a drag stops unless the event is moved again.
    private var heldEnd = HostTime.never

    /// Restarts the playback of a drag if the event is short and its last playback was long enough
    /// ago, or if the event has left the range that is playing. Returns true if the playback was
    /// restarted.
    private func renew(
        _ pattern: HapticPattern, _ range: ChangedRange, _ now: HostTime
    ) throws -> Bool {
        let isElsewhere = !(heldRange?.contains(range.start) ?? false)
        let isShort = range.isTap || (1..<Self.around).contains(range.end - range.start)
        let isDueAgain = isShort && now - tappedAt >= Self.tapInterval
        guard isElsewhere || isDueAgain else { return false }
        try audition(pattern, range, isLooped: true)
        isHeldForEdit = true
        return true
    }

    /// Plays the changed range. A looped range is played from the start of the change.
    private func audition(
        _ pattern: HapticPattern, _ range: ChangedRange, isLooped: Bool
    ) throws {
        let around = Self.range(around: range)
        let start = isLooped ? range.start : around.lowerBound
        try begin(pattern, around, from: start, isLooped: isLooped, rate: 1)
        heldRange = around
        tappedAt = Link.now()
    }

    /// Returns the range to play after an edit. The range of a long event begins at the start of
    /// the event, and has a limited length. The range of a tap, a point or a short event begins
    /// before the start of the change and ends after this start.
    private static func range(around change: ChangedRange) -> Range<Microseconds> {
        if change.end - change.start >= around {
            return change.start..<min(change.end, change.start + 4 * around)
        }
        return max(0, change.start - around)..<change.start + around
    }

    private func begin(
        _ pattern: HapticPattern, _ range: Range<Microseconds>, from start: Microseconds,
        isLooped: Bool, rate: Double
    ) throws {
        (isHeldForEdit, heldRange, awaited) = (false, nil, nil)
        isBlind = false
        endScrub()
        measurement?.cancel()
        if isStarting || isResting || measurement != nil, absence == nil {
            awaited = { [unowned self] in
                let isBlind = self.isBlind
                try begin(pattern, range, from: start, isLooped: isLooped, rate: rate)
                self.isBlind = isBlind
            }
            return
        }
        var options = PatternPlayback.Options(range, from: start)
        (options.isLooped, options.rate, options.gain) = (isLooped, rate, effectiveGain)
        options.portion = Self.portion
        playback = try PatternPlayback(
            pattern, on: engine.isRunning ? engine : nil, options, replacing: playback)
    }

    private var effectiveGain: Double { playbackGain ?? gain }

    /// Sets the gain of the playback, 0...1.
    func setGain(_ gain: Double, of pattern: HapticPattern?) throws {
        (self.gain, playbackGain) = (gain, nil)
        if let playback, let pattern { try playback.revise(to: pattern, gain: effectiveGain) }
    }

    /// True if the playback is muted.
    var isMuted: Bool {
        get { engine.isMutedForHaptics }
        set { engine.isMutedForHaptics = newValue }
    }

    /// True if a connection attempt can succeed, because the port exists or cannot be checked.
    private var mayBeThere: Bool {
        guard let port = device.servedPort else { return true }
        guard let path = port() else { return false }
        return path.contains("://") || access(path, F_OK) == 0
    }

    // MARK: Scrubbing

    /// Plays a level until the next call, for a limited time. Throws `HapticError`.
    func scrub(_ level: LevelPlayer.Level, tap: (intensity: Double, sharpness: Double)?) throws {
        playback?.cancel()
        playback = nil
        measurement?.cancel()
        guard engine.isRunning else { return }
        let player = scrubbed ?? LevelPlayer(engine)
        scrubbed = player
        scrubEnd = Link.now() + Self.scrubHold
        var level = level
        level.intensity *= effectiveGain
        try player.set(level, at: nil)
        guard let tap else { return }
        let event = HapticEvent(
            .hapticTransient, time: 0, intensity: tap.intensity * effectiveGain,
            sharpness: tap.sharpness)
        try engine.playPattern(HapticPattern(events: [event]))
    }

    private func endScrub() {
        scrubbed?.stop()
        scrubbed = nil
    }

    // MARK: Time

    /// Returns the playback position in microseconds; nil if nothing is playing, or if the position
    /// is hidden.
    func position(at now: HostTime) -> Microseconds? { isBlind ? nil : playback?.offset(at: now) }

    /// Advances the playback. This method must be called at least every 50 ms. Returns true if the
    /// playback has ended.
    func tick(at now: HostTime) -> Bool {
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
