// VoiceCoilOutput: sends the haptics of engines to voice coils on a sound device.

import BoardEngine
import BridgeLink
import HapticBoards
import HapticCompiler
import SerialPorts

/// The output to voice coils, which all engines of a device share. Commands take effect at the
/// first frame that has not been rendered.
final class VoiceCoilOutput: Sendable {
    let coils: VoiceCoils

    /// An engine that plays on the coils.
    private struct Part {
        var voices = PlayedVoices()
        /// The indices of the coils on which the engine plays.
        let indices: [Int]
        var isMuted: Bool
        let lost: @Sendable (String) -> Void
    }

    private struct State {
        var parts: [ObjectIdentifier: Part] = [:]
        var tones: [VoiceCoilTone]
        var stream: (any SoundStream)?
        var position = SoundPosition()
        var gain = 1.0

        /// Fades out the taps, unless a player is playing.
        mutating func releaseTaps(at now: HostTime) {
            let time = position.next(after: now)
            guard !parts.values.contains(where: { $0.voices.isPlaying(at: time) }) else { return }
            for index in tones.indices { tones[index].release() }
        }
    }

    private let state: LockedValue<State>

    init(_ coils: VoiceCoils) {
        self.coils = coils
        let tone = VoiceCoilTone(coils)
        state = LockedValue(State(tones: coils.channels.map { _ in tone }))
    }

    /// The localities of the coils.
    var localities: Set<HapticLocality> {
        coils.channels.count == 2
            ? [.default, .all, .handles, .leftHandle, .rightHandle] : [.default, .all]
    }

    /// True if a coil is silent because its output has lasted too long.
    var isLimited: Bool { state.withLock { $0.tones.contains(where: \.isLimited) } }

    /// Returns the indices of the coils at a locality.
    private func indices(at locality: HapticLocality) throws(HapticError) -> [Int] {
        if let number = locality.actuator, coils.channels.indices.contains(number) {
            return [number]
        }
        guard localities.contains(locality) else {
            let names = HapticLocality.known.filter(localities.contains).map(\.rawValue)
            throw HapticError(
                .notSupported,
                "\(coils.output): no coil is at \(locality.rawValue); there are "
                    + names.joined(separator: ", "))
        }
        return switch locality {
        case .leftHandle: [0]
        case .rightHandle: [1]
        default: Array(coils.channels.indices)
        }
    }

    // MARK: Engines

    /// Adds an engine, and opens the sound device for the first one.
    ///
    /// - Parameter lost: a closure that receives the reason when the device is lost.
    func open(
        for engine: ObjectIdentifier, at locality: HapticLocality, isMuted: Bool, now: HostTime,
        lost: @escaping @Sendable (String) -> Void
    ) throws(HapticError) {
        if let mistake = coils.mistake { throw HapticError(.invalidEngineParameter, mistake) }
        guard let output = InstalledSound.output else {
            throw HapticError(
                .notSupported,
                "no sound is installed; call HapticSound.install() of the library "
                    + "HapticBridgeSound first")
        }
        let part = Part(indices: try indices(at: locality), isMuted: isMuted, lost: lost)
        do {
            try state.withLock { state in
                if state.stream == nil {
                    state.position = SoundPosition(openedAt: now)
                    state.stream = try output.open(coils) { [weak self] in
                        self?.render($0)
                    } lost: { [weak self] reason in
                        self?.lose(reason)
                    }
                }
                state.parts[engine] = part
            }
            // If a pattern started before the stream was ready, the beginning of the pattern would
            // not be played.
            state.withLock { $0.stream }?.waitUntilTimed()
        } catch {
            throw HapticError(.notSupported, "\(coils.output): \(error)")
        }
    }

    private func lose(_ reason: String) {
        let parts = state.withLock { state in
            state.stream = nil
            defer { state.parts = [:] }
            return state.parts.values
        }
        for part in parts { part.lost("\(coils.output): \(reason)") }
    }

    /// Removes an engine. When the last engine is removed, the coils come to rest and the device is
    /// released.
    func close(for engine: ObjectIdentifier) {
        forgetVoices(of: engine)
        let stream = state.withLock { state -> (any SoundStream)? in
            state.parts[engine] = nil
            guard state.parts.isEmpty else { return nil }
            defer { state.stream = nil }
            return state.stream
        }
        stream?.close()
    }

    func setMuted(_ isMuted: Bool, for engine: ObjectIdentifier) {
        state.withLock { state in
            state.parts[engine]?.isMuted = isMuted
            if isMuted, state.parts.values.allSatisfy(\.isMuted) {
                for index in state.tones.indices { state.tones[index].release() }
            }
        }
    }

    /// Sets the factor for all intensities, 0...1.
    func setGain(_ gain: Double) {
        state.withLock { state in
            state.gain = gain
            guard gain == 0 else { return }
            for index in state.tones.indices { state.tones[index].release() }
        }
    }

    /// Returns the earliest host time at which a pattern that is requested now can begin.
    func earliestStart(at now: HostTime) -> HostTime {
        state.withLock { $0.stream == nil ? now : $0.position.earliestStart(at: now) }
    }

    // MARK: Players

    func perform(
        _ commands: [PlayerCommand], of player: PlayerID, for engine: ObjectIdentifier,
        at now: HostTime
    ) {
        state.withLock { state in
            let time = state.position.next(after: now)
            for command in commands {
                state.parts[engine]?.voices.perform(command, of: player, at: time)
            }
            if commands.contains(where: { $0.stops(at: time) }) { state.releaseTaps(at: now) }
        }
    }

    /// Discards the players of an engine, after a stop. The output fades out.
    func forgetVoices(of engine: ObjectIdentifier) {
        let now = Link.now()
        state.withLock { state in
            state.parts[engine]?.voices = PlayedVoices()
            state.releaseTaps(at: now)
        }
    }

    // MARK: Frames

    private func render(_ window: SoundWindow) -> SoundFrames {
        state.withLock { state in
            let span = state.position.advance(to: window)
            let host = span.lowerBound.microseconds..<span.upperBound.microseconds
            var taps: [[VoiceTap]] = coils.channels.map { _ in [] }
            var pieces: [[LayerPiece]] = coils.channels.map { _ in [] }
            for engine in state.parts.keys {
                let played = state.parts[engine]!.voices.play(
                    from: span.lowerBound, to: span.upperBound)
                guard let part = state.parts[engine], !part.isMuted else { continue }
                for index in part.indices {
                    taps[index] += played.taps
                    pieces[index] += played.pieces
                }
            }
            var frames = SoundFrames(count: window.count)
            for index in state.tones.indices {
                let mixed = MixedSpan(
                    taps: taps[index].sorted { $0.time < $1.time },
                    pieces: Mixer(policy: .loudest).mix(pieces[index], in: host))
                let samples = state.tones[index].render(mixed, in: window, gain: state.gain)
                if index == 0 { frames.left = samples } else { frames.right = samples }
            }
            return frames
        }
    }
}

extension PlayerCommand {
    /// Returns whether the command ends a player no later than at a given time.
    fileprivate func stops(at now: HostTime) -> Bool {
        switch self {
        case .cancel: true
        case .stop(let time): time <= now
        default: false
        }
    }
}
