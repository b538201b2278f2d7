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

/// The linear relation between sharpness and frequencies of 65 to 300 Hz, as in the reference
/// software of MPEG-I Haptic Coding (ISO/IEC 23090-31).
package enum SharpnessFrequency {
    /// The frequencies that correspond to sharpness 0 and 1, in hertz.
    package static let range = 65.0...300.0

    /// Returns the sharpness that corresponds to a frequency, limited to 0...1.
    package static func sharpness(ofHertz frequency: Double) -> Double {
        let width = range.upperBound - range.lowerBound
        return min(max((frequency - range.lowerBound) / width, 0), 1)
    }

    /// Returns the frequency that corresponds to a sharpness, in hertz.
    package static func hertz(ofSharpness sharpness: Double) -> Double {
        range.lowerBound + (range.upperBound - range.lowerBound) * sharpness
    }
}
