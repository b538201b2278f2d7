// SoundedVoice: renders the sounds of a player's voice. The type performs no I/O and has no clock.

import BoardEngine
import BridgeLink
import HapticPatterns

/// A voice whose sounds are rendered for host times.
struct SoundedVoice: TimedVoice {
    private(set) var voice: PlayerVoice
    /// The sounds of the pattern; nil if the pattern contains no sounds.
    private var sound: SoundVoice?
    /// The spans that have been played but not rendered, each with the parameter curves if they
    /// have changed.
    private var spans: [(span: ClockedSpan, controls: [ControlCurve]?)] = []
    /// The last span that was rendered, or that was too short for a frame.
    private var last: ClockedSpan?
    /// True if the next frames do not continue the preceding frames.
    private var isInterrupted = true
    private var controlsMayHaveChanged = false
    private var time: HostTime

    init(_ voice: PlayerVoice, at now: HostTime) {
        self.voice = voice
        time = now
        self.voice.advance(to: now)
    }

    /// Sets the sounds of the voice.
    mutating func load(_ sound: SoundVoice) { self.sound = sound }

    mutating func play(to now: HostTime) {
        time = now
        guard sound != nil else { return voice.advance(to: now) }
        for span in voice.spans(until: now) {
            let controls = controlsMayHaveChanged ? voice.controlCurves : nil
            controlsMayHaveChanged = false
            spans.append((span, controls))
        }
    }

    mutating func carryOut(_ command: PlayerCommand) {
        voice.carryOut(command, at: time)
        controlsMayHaveChanged = true
    }

    /// True if the voice is audible.
    var isAudible: Bool { sound?.isAudible ?? false }

    var isQuiet: Bool { spans.isEmpty && !isAudible }

    /// Adds the sounds of the spans that have been played to the given frames.
    mutating func render(_ window: SoundWindow, isMuted: Bool, into frames: inout SoundFrames) {
        guard sound != nil else { return }
        let volume = isMuted || voice.isMuted ? 0.0 : 1
        var played = 0
        for (span, controls) in spans {
            if let controls { sound!.replaceControls(controls) }
            if !continues(span) { isInterrupted = true }
            last = span
            let range = window.frame(at: span.start)..<window.frame(at: span.end)
            guard !range.isEmpty else { continue }
            played = range.upperBound
            sound!.render(
                SoundPassage(
                    frames: range, time: span.pattern(at: window.time(of: range.lowerBound)),
                    step: window.step * span.clock.rate, continues: !isInterrupted),
                volume: volume, into: &frames)
            isInterrupted = false
        }
        spans = []
        if played < window.count, isAudible { renderEnd(played..<window.count, into: &frames) }
    }

    /// Discards the spans that have been played, because no device accepts frames.
    mutating func discard() {
        for case (_, let controls?) in spans { sound?.replaceControls(controls) }
        (spans, last, isInterrupted) = ([], nil, true)
        sound?.silence()
    }

    /// Fades out the audible sounds of the voice.
    mutating func renderEnd(_ range: Range<Int>, into frames: inout SoundFrames) {
        sound?.renderEnd(range, into: &frames)
        isInterrupted = true
    }

    private func continues(_ span: ClockedSpan) -> Bool {
        guard let last, last.end == span.start else { return false }
        let time = Double(span.start.microseconds)
        return abs(span.pattern(at: time) - last.pattern(at: time)) <= 2 + span.clock.rate
    }
}
