// SharpnessFrequency: the relation between sharpness and frequency for formats that state frequencies in
// hertz.

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
