// CompiledPattern: compiles a whole pattern as a single voice, window by window.

import HapticPatterns

/// A pattern that has been compiled to a complete stream, with its events, durations and report.
public struct CompiledPattern: Sendable {
    /// The event code up to and including END (SPEC 7).
    public var bytes: [UInt8]
    /// The length of a tick in microseconds.
    public var tick: Microseconds
    /// The events that ``bytes`` represent.
    public var events: [StreamEvent]
    /// The duration of the pattern in microseconds, as defined by Core Haptics.
    public var duration: Microseconds
    /// The duration of the stream in microseconds, including release tails and the whole last tap.
    public var renderedDuration: Microseconds
    /// The delay of the stream's output relative to the pattern, in microseconds. The stream
    /// contains this delay because the drive must begin some time before the actuator can be felt.
    /// For the pattern to be felt at a given time, start the stream earlier by this delay.
    public var lead: Microseconds
    /// The events of the pattern that the profile cannot render exactly.
    public var report: LoweringReport

    /// The stream as a file (SPEC 7.6).
    public var file: CompiledFile { CompiledFile(tick: UInt16(tick), bytes: bytes) }
    /// The events as text, one per line.
    public var listing: EventListing { EventListing(events, tick: tick) }
}

extension HapticCompiler {
    /// Compiles a whole pattern.
    ///
    /// Endless events end at ``PatternVoice/endlessLimit`` and are reported. The running time is
    /// linear in the number of events and curve points.
    public static func compile(
        _ pattern: HapticPattern, profile: DeviceProfile = .reference,
        options: CompilerOptions = CompilerOptions()
    ) -> CompiledPattern {
        let voice = PatternVoice(pattern, options: options, endless: .limited)
        return compile(
            pattern, voice: voice, profile: profile, options: options,
            window: max(Self.batchWindow, (voice.end ?? 0) / windows(for: pattern)))
    }

    /// Returns the number of windows into which a pattern is divided. The number is small enough
    /// that an hour of silence compiles quickly, and large enough that the events of a window fit
    /// into the processor's cache.
    private static func windows(for pattern: HapticPattern) -> Microseconds {
        Microseconds(64 + pattern.events.count / 256)
    }

    /// The minimum length of a window in batch compilation, in microseconds. The length has no
    /// effect on the resulting bytes.
    static let batchWindow: Microseconds = 1_000_000

    /// Compiles windows of a given length until the stream has ended.
    static func compile(
        _ pattern: HapticPattern, voice: PatternVoice, profile: DeviceProfile,
        options: CompilerOptions, window: Microseconds
    ) -> CompiledPattern {
        var compiler = HapticCompiler(
            profile: profile, mixPolicy: options.mixPolicy, voices: [voice],
            alignment: options.alignment)
        var bytes: [UInt8] = []
        var events: [StreamEvent] = []
        var hasEnded = false
        while !hasEnded {
            let segment = compiler.nextSegment(duration: window)
            bytes += segment.bytes
            events += segment.events
            hasEnded = segment.hasEnded
        }
        return CompiledPattern(
            bytes: bytes, tick: StreamTime.tick, events: events, duration: pattern.length,
            renderedDuration: StreamTime.time(of: events.last?.tick ?? 0), lead: compiler.lead,
            report: LoweringReport(
                of: pattern, profile: profile, options: options, stream: events,
                losses: compiler.losses))
    }
}
