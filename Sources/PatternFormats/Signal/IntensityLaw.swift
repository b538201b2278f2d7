// IntensityLaw: the relation between an amplitude and Core Haptics' intensity.

/// The relation between the drive amplitude and Core Haptics' intensity.
public enum IntensityLaw: String, Sendable, CaseIterable {
    /// Intensity is the square root of the amplitude. The exporter of Meta Haptics Studio uses this
    /// relation for AHAP, because "in Core Haptics the intensity is quadratic".
    case sqrt
    /// Intensity equals the amplitude. The encoder of MPEG-I Haptic Coding uses this relation for
    /// AHAP.
    case linear

    /// Returns the intensity that corresponds to an amplitude, both 0...1.
    public func intensity(ofAmplitude amplitude: Double) -> Double {
        self == .sqrt ? amplitude.squareRoot() : amplitude
    }

    /// Returns the amplitude that corresponds to an intensity, both 0...1.
    public func amplitude(ofIntensity intensity: Double) -> Double {
        self == .sqrt ? intensity * intensity : intensity
    }
}
