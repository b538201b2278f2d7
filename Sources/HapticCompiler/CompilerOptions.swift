// CompilerOptions: choices that change what a pattern means or how voices mix.

import HapticPatterns

/// Choices that change the meaning of a pattern or the mixing of voices.
public struct CompilerOptions: Sendable, Equatable {
    /// The events that a sharpness curve changes.
    public var sharpnessCurves: SharpnessCurveProfile
    /// The durations that correspond to the adjusters of an envelope.
    public var envelopeTiming: EnvelopeTiming
    /// The rule for layers that overlap.
    public var mixPolicy: MixPolicy

    /// The time at which the drive of an event begins.
    public var alignment: DriveAlignment

    /// Makes options. The defaults are Apple's documentation, our envelope constants, the rule that
    /// the loudest layer wins, and peaks that keep the rhythm of the pattern.
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
