// AHAPLinter: checks an AHAP file without playing it.

import HapticPatterns
import JSONText

/// Checks AHAP files.
public enum AHAPLinter {
    /// The longest duration of a continuous event that Core Haptics documents (`hapticContinuous`):
    /// 30 s.
    public static let longestContinuous: Microseconds = 30_000_000

    /// The maximum number of points of a curve in Apple's editor. No document specifies a limit.
    public static let mostCurvePoints = 16

    /// Returns the errors, repairs and notes of a file, sorted by location.
    ///
    /// If an entry of `Pattern` contains an error, reading continues with the next entry, so that
    /// one pass finds all such errors. Reading ends at the first error in the JSON syntax.
    public static func lint(
        _ bytes: [UInt8], options: AHAPReader.Options = .init()
    ) -> [Diagnostic] {
        var report = Report(isStrict: options.strict, findsAllErrors: true)
        do {
            let file = try AHAPReader.read(bytes, options: options, report: &report)
            // The pattern can be checked only if the whole file could be read.
            return report.hasErrors ? file.diagnostics : diagnostics(on: file)
        } catch {
            return (report.diagnostics + [error.diagnostic]).inFileOrder
        }
    }

    /// Returns the diagnostics of a file that was read, sorted by location: the diagnostics of the
    /// reader and those of ``notes(on:)``.
    public static func diagnostics(on file: AHAPReader.Result) -> [Diagnostic] {
        (file.diagnostics + notes(on: file.pattern)).inFileOrder
    }

    /// Returns the notes on a valid pattern: elements that are not played, that are not portable or
    /// that may be misunderstood.
    public static func notes(on pattern: HapticPattern) -> [Diagnostic] {
        pattern.events.flatMap(notes(on:)) + pattern.curves.compactMap(longCurve)
            + notesOnTheWhole(of: pattern) + guidance(on: pattern)
    }

    private static func notes(on event: HapticEvent) -> [Diagnostic] {
        switch event.type {
        case .hapticTransient: notes(onTransient: event)
        case .hapticContinuous: notes(onContinuous: event)
        case .audioContinuous, .audioCustom: []
        }
    }

    private static func notes(onTransient event: HapticEvent) -> [Diagnostic] {
        guard let duration = event.length, duration > 0 else { return [] }
        return [
            note(
                .paddedTransient, event.location,
                "EventDuration of a transient lengthens the pattern, not the tap",
                "remove EventDuration, or make the event HapticContinuous")
        ]
    }

    private static func notes(onContinuous event: HapticEvent) -> [Diagnostic] {
        var notes: [Diagnostic] = []
        if event.isEndless {
            notes.append(
                note(
                    .endlessEvent, event.location,
                    "a continuous event "
                        + (event.length == nil
                            ? "without EventDuration" : "with an EventDuration of 0")
                        + ": a board ends the event after 30 s, an iPhone when playback is stopped",
                    "give the event an EventDuration"
                        + (event.length == nil
                            ? ""
                            : " of more than 0")))
        }
        if let duration = event.length, duration > longestContinuous {
            notes.append(
                note(
                    .continuousOver30Seconds, event.location,
                    "a continuous event of \(Double(duration) / 1e6) s; Apple "
                        + "documents at most 30 s",
                    "split the event for iPhones; a board plays it in full"))
        }
        if event.envelope.sustained && event.envelope.decayTime > 0 {
            notes.append(
                note(
                    .decayWhileSustained, event.location,
                    "DecayTime has no effect while Sustained is 1", "set Sustained to 0"))
        }
        return notes
    }

    private static func longCurve(_ curve: HapticParameterCurve) -> Diagnostic? {
        guard curve.points.count > mostCurvePoints else { return nil }
        return note(
            .curveOver16, curve.location,
            "a curve of \(curve.points.count) points; Apple's editor allows at most "
                + "\(mostCurvePoints)",
            "split the curve for iPhones; a board uses every point")
    }

    private static func notesOnTheWhole(of pattern: HapticPattern) -> [Diagnostic] {
        var notes: [Diagnostic] = []
        if !pattern.events.contains(where: { $0.type.isHaptic }) {
            notes.append(
                note(
                    .nothingPlays,
                    pattern.events.first?.location ?? pattern.curves.first?.location
                        ?? pattern.parameters.first?.location,
                    "the pattern has no haptic event",
                    "add a HapticTransient or HapticContinuous event"))
        }
        if let note = transientsUnderSharpness(in: pattern) { notes.append(note) }
        if let note = millisecondTimes(of: pattern) { notes.append(note) }
        return notes
    }

    /// Returns a note on a pattern whose times appear to be milliseconds: all are whole numbers of
    /// at least 10, and the latest exceeds the longest duration that Core Haptics documents. This
    /// project chose the numbers in these conditions; none of the known public files whose times
    /// are in seconds meets them.
    private static func millisecondTimes(of pattern: HapticPattern) -> Diagnostic? {
        let second: Microseconds = 1_000_000
        var times = pattern.events.map { $0.time } + pattern.events.compactMap { $0.length }
        times += pattern.parameters.map { $0.time } + pattern.curves.map { $0.time }
        for curve in pattern.curves { times += curve.points.map({ $0.time }) }
        times.removeAll { $0 == 0 }
        guard times.count > 1, let latest = times.max(), latest > longestContinuous,
            times.allSatisfy({ $0.isMultiple(of: second) && $0 >= 10 * second })
        else { return nil }
        let first = pattern.events.first { $0.time != 0 || ($0.length ?? 0) != 0 }
        return note(
            .millisecondTimes, first?.location ?? pattern.curves.first?.location,
            "times look like milliseconds: all are whole numbers, up to \(latest / second); AHAP "
                + "counts in seconds",
            "divide them by 1000, if that is what you mean")
    }

    /// Returns a note on transients that play while a sharpness control is active. The sources on
    /// Core Haptics disagree about how such transients behave; see SharpnessCurveProfile.
    private static func transientsUnderSharpness(in pattern: HapticPattern) -> Diagnostic? {
        let sharpness = ControlTimeline(.hapticSharpnessControl, of: pattern)
        let affected = pattern.events.filter {
            $0.type == .hapticTransient && sharpness.value(at: $0.time) != 0
        }
        guard let first = affected.first else { return nil }
        return note(
            .transientUnderSharpnessCurve, first.location,
            (affected.count == 1
                ? "a transient under a sharpness control"
                : "the first of \(affected.count) transients under a sharpness control")
                + "; Apple documents that transients ignore the control, but iPhones were observed "
                + "to apply it",
            "give the transients their own sharpness, in a file without that control")
    }

    static func note(
        _ rule: Diagnostic.Rule, _ location: SourceLocation?, _ message: String, _ advice: String
    ) -> Diagnostic {
        Diagnostic(
            rule: rule, severity: .note, location: location, message: message, advice: advice)
    }
}
