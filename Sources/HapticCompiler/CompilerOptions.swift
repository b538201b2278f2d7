// CompilerOptions: the options that affect how a pattern is interpreted or how voices are mixed.

import HapticPatterns

/// The options that affect how a pattern is interpreted or how voices are mixed.
public struct CompilerOptions: Sendable, Equatable {
    /// The kinds of events that are affected by a sharpness curve.
    public var sharpnessCurves: SharpnessCurveProfile
    /// The function that converts an envelope's attack, decay and release values to durations.
    public var envelopeTiming: EnvelopeTiming
    /// The rule that determines the output where layers overlap.
    public var mixPolicy: MixPolicy

    /// The meaning of the time of an event: the time at which the event is felt, or at which its
    /// drive begins.
    public var alignment: DriveAlignment

    /// Creates options. By default, sharpness curves follow Apple's documentation, envelopes use
    /// this project's constants, and the layer with the highest level is played. Events are felt at
    /// their times, so that the rhythm of the pattern is preserved.
    public init(
        sharpnessCurves: SharpnessCurveProfile = .appleDoc,
        envelopeTiming: EnvelopeTiming = .standard, mixPolicy: MixPolicy = .loudest,
        alignment: DriveAlignment = .felt
    ) {
        self.sharpnessCurves = sharpnessCurves
        self.envelopeTiming = envelopeTiming
        self.mixPolicy = mixPolicy
        self.alignment = alignment
    }
}
