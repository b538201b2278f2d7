// CompilerOptions: options that change the meaning of a pattern or the mixing of voices.

import HapticPatterns

/// Options that change the meaning of a pattern or the mixing of voices.
public struct CompilerOptions: Sendable, Equatable {
    /// The kinds of events that a sharpness curve affects.
    public var sharpnessCurves: SharpnessCurveProfile
    /// The conversion of an envelope's attack, decay and release values to durations.
    public var envelopeTiming: EnvelopeTiming
    /// The rule for layers that overlap.
    public var mixPolicy: MixPolicy

    /// The relation between the time of an event and the time at which its drive begins.
    public var alignment: DriveAlignment

    /// Makes options. By default, sharpness curves follow Apple's documentation, envelopes use this
    /// project's constants, the loudest layer is felt, and the peaks of events keep the rhythm of
    /// the pattern.
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
