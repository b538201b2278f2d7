// SoundVoice: renders the sounds of one pattern in the time of the pattern. The type performs no
// I/O and has no clock.

import CMath
import HapticPatterns

/// A range of frames in which a pattern plays without interruption.
package struct SoundPassage: Sendable, Equatable {
    /// The frames.
    package var frames: Range<Int>
    /// The time of the pattern at the first frame, in microseconds.
    package var time: Double
    /// The interval between two frames in the time of the pattern, in microseconds, above 0.
    package var step: Double
    /// True if the passage continues the previous passage. If the value is false, the playing
    /// sounds fade out, and each sound that the pattern contains at the time of the passage starts
    /// from the position that it has reached at that time.
    package var continues: Bool

    /// Creates a passage.
    package init(frames: Range<Int>, time: Double, step: Double, continues: Bool) {
        (self.frames, self.time, self.step, self.continues) = (frames, time, step, continues)
    }

    fileprivate func time(at frame: Int) -> Double {
        time + Double(frame - frames.lowerBound) * step
    }

    /// Returns the first frame at or after a time.
    fileprivate func frame(at time: Double) -> Int {
        let distance = ((time - self.time) / step - 1e-6).rounded(.up)
        guard distance < Double(frames.count) else { return frames.upperBound }
        return frames.lowerBound + max(0, Int(distance))
    }
}

/// A renderer of the audio events of a pattern.
///
/// This project has chosen rules for behavior that Core Haptics does not document. A pitch of 1
/// raises a sound by an octave. The frequency of a tone is ``lowestTone`` to four times that value,
/// and the brightness determines the overtones. A pan of 1 silences the left channel and does not
/// change the right channel. A playback rate changes the pitch of files, as on a tape.
package struct SoundVoice: Sendable {
    /// The number of frames per second.
    package static let frameRate = 48_000
    /// The frequency of an audio-continuous event of pitch -1, in hertz.
    package static let lowestTone = 220.0

    /// Returns the factor by which a pitch of -1...1 changes the frequency and the speed of a
    /// sound.
    package static func factor(ofPitch pitch: Double) -> Double { math_pow(2, pitch) }

    /// The number of frames between two evaluations of the controls: 1 ms.
    private static let blockLength = 48
    /// The length of the fade of a cut-off sound, in frames: 5 ms.
    private static let fadeLength = 240

    private let events: [(index: Int, event: HapticEvent)]
    private let sounds: [Int: SoundSamples]
    private var controls: SoundControls
    private var notes: [SoundNote] = []
    private var envelopes: [Int: SoundEnvelope] = [:]
    /// The sounds that were cut off, with the remaining frames of their fades.
    private var fading: [(note: SoundNote, left: Int)] = []
    /// The index of the first event that has not started.
    private var next = 0

    /// Creates a voice of a pattern.
    ///
    /// - Parameter sounds: the sounds of audio-custom events by the index of the event. Events
    ///   without a sound are silent.
    package init(_ pattern: HapticPattern, sounds: [Int: SoundSamples]) {
        events = pattern.events.enumerated()
            .filter { index, event in
                event.type == .audioContinuous
                    || event.type == .audioCustom && (sounds[index]?.count ?? 0) > 0
            }.map { ($0.offset, $0.element) }
        self.sounds = sounds
        controls = SoundControls(pattern.controls)
    }

    /// True if the pattern contains no audible event.
    package var isSilent: Bool { events.isEmpty }

    /// Replaces the parameters and curves of the pattern.
    ///
    /// - Parameter curves: the parameters and curves in ascending order of their starts.
    package mutating func replaceControls(_ curves: [ControlCurve]) {
        controls = SoundControls(curves)
    }

    /// Adds the sounds of a passage to frames. Passages must be in order of time.
    ///
    /// - Parameter volume: the gain of the pattern, 0...1.
    package mutating func render(
        _ passage: SoundPassage, volume: Double = 1, into frames: inout SoundFrames
    ) {
        if !passage.continues {
            cut()
            begin(at: passage.time, passage.step, volume)
        }
        fade(passage.frames, into: &frames)
        var first = passage.frames.lowerBound
        while first < passage.frames.upperBound {
            while next < events.count,
                passage.frame(at: Double(events[next].event.time)) <= first
            {
                start(events[next], at: passage.time(at: first), volume)
                next += 1
            }
            let onset =
                next < events.count
                ? passage.frame(at: Double(events[next].event.time)) : passage.frames.upperBound
            let end = min(onset, first + Self.blockLength, passage.frames.upperBound)
            play(first..<end, passage, volume, into: &frames)
            first = end
        }
    }

    /// Cuts off the playing sounds, and adds all fading sounds to frames in which the pattern does
    /// not play.
    package mutating func renderEnd(_ range: Range<Int>, into frames: inout SoundFrames) {
        cut()
        fade(range, into: &frames)
    }

    /// Ends all sounds immediately, without fading them out. This method must be called only while
    /// the output is not audible.
    package mutating func silence() { (notes, fading) = ([], []) }

    /// True if a sound is playing or fading.
    package var isAudible: Bool { !notes.isEmpty || !fading.isEmpty }

    private mutating func cut() {
        fading += notes.map { ($0, Self.fadeLength) }
        notes = []
    }

    private mutating func fade(_ range: Range<Int>, into frames: inout SoundFrames) {
        for index in fading.indices {
            let count = min(fading[index].left, range.count)
            let gain = 1 - Double(count) / Double(fading[index].left)
            let gains = fading[index].note.gains.scaled(by: gain)
            fading[index].note.play(
                range.lowerBound..<(range.lowerBound + count), to: gains, into: &frames)
            fading[index].left -= count
        }
        fading.removeAll { $0.left == 0 || $0.note.hasEnded }
    }

    /// Starts the rendering at a time of the pattern, and includes the events that have started
    /// before this time and have not ended. Events that start within a frame start with the frame.
    private mutating func begin(at time: Double, _ step: Double, _ volume: Double) {
        next = events.firstIndex { Double($0.event.time) > time - step } ?? events.count
        for entry in events[..<next] {
            start(entry, at: time, volume)
            // The sound does not start at the beginning of the event, so its gain rises from 0.
            if notes.last?.event == entry.index { notes[notes.count - 1].gains = .silent }
        }
    }

    private mutating func start(
        _ entry: (index: Int, event: HapticEvent), at time: Double, _ volume: Double
    ) {
        let (index, event) = entry
        let audio = event.audio ?? AudioAttributes()
        let distance = controls.distance(of: audio.pitch, from: event.time, to: time)
        let isLooped = event.type == .audioCustom && audio.isLoopEnabled
        let envelope = SoundEnvelope(of: event, controls)
        guard time < envelope.end else { return }
        var note = SoundNote(
            event: index, source: .tone(brightness: audio.brightness),
            position: distance * 2 * Self.lowestTone, gains: .silent)
        if event.type == .audioCustom, let samples = sounds[index] {
            note.source = .samples(samples, isLooped: isLooped)
            note.position = distance * Double(samples.sampleRate)
        }
        guard !note.hasEnded else { return }
        envelopes[index] = envelope
        note.gains = gains(of: event, envelope, at: time, volume)
        notes.append(note)
    }

    private func gains(
        of event: HapticEvent, _ envelope: SoundEnvelope, at time: Double, _ volume: Double
    ) -> SoundNote.Gains {
        guard let audio = event.audio else { return .silent }
        let loudness = controls.value(audio.volume, .audioVolumeControl, at: time)
        return SoundNote.Gains(
            volume: loudness * volume * envelope.value(at: time),
            pan: controls.value(audio.pan, .audioPanControl, at: time))
    }

    private mutating func play(
        _ range: Range<Int>, _ passage: SoundPassage, _ volume: Double,
        into frames: inout SoundFrames
    ) {
        let (start, end) = (passage.time(at: range.lowerBound), passage.time(at: range.upperBound))
        for index in notes.indices {
            let event = eventOfNote(notes[index])
            adjust(&notes[index], event, at: (start + end) / 2, passage.step)
            let gains = gains(of: event, envelopes[notes[index].event]!, at: end, volume)
            notes[index].play(range, to: gains, into: &frames)
        }
        notes.removeAll { $0.hasEnded || envelopes[$0.event]!.end <= end }
    }

    private func eventOfNote(_ note: SoundNote) -> HapticEvent {
        var (low, high) = (0, events.count - 1)
        while low < high {
            let middle = (low + high) / 2
            if events[middle].index < note.event { low = middle + 1 } else { high = middle }
        }
        return events[low].event
    }

    /// Sets the increment of a note, and the brightness of a tone, for a block.
    private func adjust(
        _ note: inout SoundNote, _ event: HapticEvent, at time: Double, _ step: Double
    ) {
        let audio = event.audio ?? AudioAttributes()
        let pitch = controls.value(audio.pitch, .audioPitchControl, at: time)
        let factor = Self.factor(ofPitch: pitch)
        switch note.source {
        case .samples(let samples, _):
            note.increment = step / 1_000_000 * Double(samples.sampleRate) * factor
        case .tone:
            note.increment = 2 * Self.lowestTone * factor / Double(Self.frameRate)
            note.source = .tone(
                brightness: controls.value(audio.brightness, .audioBrightnessControl, at: time))
        }
    }
}

extension SoundNote.Gains {
    fileprivate func scaled(by factor: Double) -> Self {
        var scaled = self
        scaled.left *= factor
        scaled.right *= factor
        return scaled
    }
}
