// EngineSound: sends the sounds of an engine's players to a sound device.

import BoardEngine
import BridgeLink
import SerialPorts

/// Plays the sounds of an engine. Commands take effect at the first frame that has not been
/// rendered.
final class EngineSound: Sendable {
    private struct State {
        var voices = TimedVoices<SoundedVoice>()
        /// The voices of removed players, which fade out.
        var leaving: [SoundedVoice] = []
        /// The sounds of the players that the app still references.
        var patterns: [PlayerID: SoundVoice] = [:]
        var stream: (any SoundStream)?
        var position = SoundPosition()
        var failure: String?
        var isMuted = false
        /// The additional latency of the device beyond the latency that the device reports, in
        /// microseconds.
        var delay: Microseconds = 0

        /// Advances to a time without rendering, because no device accepts frames.
        mutating func playUnheard(to now: HostTime) {
            voices.advance(to: now)
            for player in voices.active { voices.change(player) { $0.discard() } }
            leaving = []
            // Voices that have ended and are quiet are removed at this point.
            voices.advance(to: now)
        }
    }

    private let state = LockedValue(State())

    deinit { close() }

    // MARK: The device

    /// Opens the installed output, unless the output is already open.
    ///
    /// - Parameter delay: the additional latency of the device beyond the latency that the device
    ///   reports, in microseconds.
    func open(delay: Microseconds, at now: HostTime) {
        guard let output = InstalledSound.output else { return }
        state.withLock { state in
            guard state.stream == nil else { return }
            (state.position, state.failure) = (SoundPosition(openedAt: now), nil)
            state.delay = delay
            state.stream = output.open { [weak self] in
                self?.render($0)
            } failed: { [weak self] reason in
                self?.record(reason)
            }
        }
    }

    /// Records the reason why frames are no longer rendered, so that no player waits for its sound;
    /// nil means that frames are rendered again. While no frames are rendered, the players advance
    /// silently.
    private func record(_ failure: String?) {
        let now = Link.now()
        state.withLock { state in
            state.failure = failure
            state.playUnheard(to: now)
            state.position = SoundPosition(openedAt: now)
        }
    }

    /// Ends all sounds, and releases the device.
    func close() {
        forgetVoices()
        let stream = state.withLock { state in
            defer { state.stream = nil }
            return state.stream
        }
        stream?.close()
    }

    /// The reason why nothing is audible; nil if the device plays or was not opened.
    var failure: String? { state.withLock { $0.failure } }

    /// True if all sounds are muted. They continue silently.
    var isMuted: Bool {
        get { state.withLock { $0.isMuted } }
        set { state.withLock { $0.isMuted = newValue } }
    }

    /// Returns the earliest host time at which a sound that is requested now can begin; the current
    /// time if nothing is audible.
    func earliestStart(at now: HostTime) -> HostTime {
        state.withLock { state in
            guard state.stream != nil, state.failure == nil else { return now }
            return state.position.earliestStart(at: now)
        }
    }

    // MARK: Players

    /// Stores the sounds of a player.
    func add(_ sound: SoundVoice, of player: PlayerID) {
        state.withLock { $0.patterns[player] = sound }
    }

    /// Removes the sounds of a player that the app has released. The player continues to play.
    func release(_ player: PlayerID) { state.withLock { $0.patterns[player] = nil } }

    /// Returns whether a player has sounds.
    func hasSounds(_ player: PlayerID) -> Bool { state.withLock { $0.patterns[player] != nil } }

    func perform(_ commands: [PlayerCommand], of player: PlayerID, at now: HostTime) {
        state.withLock { state in
            guard state.stream != nil else { return }
            let time = state.position.next(after: now)
            defer { if state.failure != nil { state.playUnheard(to: now) } }
            for command in commands {
                state.voices.perform(command, of: player, at: time)
                if case .add = command, let sound = state.patterns[player] {
                    state.voices.change(player) { $0.load(sound) }
                }
            }
        }
    }

    /// Discards all players, after a stop or a reset. Audible sounds fade out.
    func forgetVoices() {
        state.withLock { state in
            state.leaving += state.voices.players.values.filter(\.isAudible)
            state.voices = TimedVoices()
        }
    }

    // MARK: Frames

    private func render(_ window: SoundWindow) -> SoundFrames {
        state.withLock { state in
            var window = window
            window.start += Double(state.delay)
            let end = state.position.advance(to: window).upperBound
            var frames = SoundFrames(count: window.count)
            state.voices.advance(to: end)
            for player in state.voices.active {
                state.voices.change(player) {
                    $0.render(window, isMuted: state.isMuted, into: &frames)
                }
            }
            for index in state.leaving.indices {
                state.leaving[index].renderEnd(0..<window.count, into: &frames)
            }
            state.leaving.removeAll { !$0.isAudible }
            return frames
        }
    }
}
