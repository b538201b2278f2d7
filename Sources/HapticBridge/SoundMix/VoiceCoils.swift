// VoiceCoils: voice coils on channels of a sound device, with their band, their response and their
// limits.

import CMath
import HapticCompiler
import HapticPatterns

/// One or two voice coils that a sound device drives through an amplifier, or the coils of a
/// controller that is a sound device.
///
/// A coil plays a sine. The frequency of the sine follows the sharpness: 0 is the lowest frequency
/// of ``band``, 1 is the highest, and equal steps of sharpness correspond to equal ratios of
/// frequency. Its amplitude follows the intensity and is equalized by ``response``, so that an
/// intensity is equally strong at every frequency.
public struct VoiceCoils: Hashable, Sendable {
    /// A point of the frequency response of a coil.
    public typealias ResponsePoint = FrequencyBand.ResponsePoint

    /// The name of the sound device: on Linux, an ALSA device name such as `hw:2` or `default`.
    public var device: String
    /// The channels of the device, 1...64: the left and the right coil, or a single coil.
    public var channels: [Int]
    /// The frequencies of sharpness 0 and sharpness 1, in hertz, within ``bands``.
    public var band: ClosedRange<Double>
    /// The points of the frequency response in ascending order of frequency. Between two points,
    /// the gain is interpolated on logarithmic scales. Outside the points, the gain is the gain of
    /// the nearest point. Without points, all frequencies have the same gain.
    public var response: [ResponsePoint]
    /// The amplitude of intensity 1 at the frequency with the lowest gain, within ``levels``, in dB
    /// relative to full scale. No amplitude exceeds this value.
    public var maximumLevel: Double
    /// The maximum duration of output without a pause of ``pause``, within ``durations``.
    /// Afterwards, a coil is silent until its pattern has paused.
    public var maximumDuration: Duration

    /// The default of ``band``: the range of the MPEG reference encoder for haptics.
    public static let standardBand = 65.0...300.0
    /// The range of ``band``, in hertz.
    public static let bands = 10.0...1_000.0
    /// The range of ``maximumLevel``, in dB.
    public static let levels = -60.0...0.0
    /// The range of ``maximumDuration``.
    public static let durations = Duration.milliseconds(100)...(.seconds(3_600))
    /// The pause after which a coil may again play for ``maximumDuration``.
    public static let pause = Duration.seconds(1)

    /// Creates a description of voice coils. An engine checks the values when it starts.
    ///
    /// - Parameters:
    ///   - device: the name of the sound device.
    ///   - channels: the channels of the left and the right coil, or of a single coil.
    ///   - band: the frequencies of sharpness 0 and 1, in hertz.
    ///   - response: the points of the frequency response.
    ///   - maximumLevel: the maximum amplitude in dB relative to full scale.
    ///   - maximumDuration: the maximum duration of output without a pause.
    public init(
        device: String, channels: [Int] = [1, 2], band: ClosedRange<Double> = standardBand,
        response: [ResponsePoint] = [], maximumLevel: Double = -6,
        maximumDuration: Duration = .seconds(30)
    ) {
        (self.device, self.channels, self.band) = (device, channels, band)
        (self.response, self.maximumLevel) = (response, maximumLevel)
        self.maximumDuration = maximumDuration
    }

    /// Returns the frequency of a sharpness, in hertz.
    public func frequency(ofSharpness sharpness: Double) -> Double {
        FrequencyBand(band).frequency(ofSharpness: sharpness)
    }

    /// Returns the factor that makes an intensity equally strong at a frequency, 0...1. The factor
    /// is 1 at the frequency of the band that has the lowest gain.
    public func equalization(at frequency: Double) -> Double {
        FrequencyBand(band, response: response).equalization(at: frequency, reference: band)
    }

    /// The amplitude that corresponds to ``maximumLevel``.
    var maximumAmplitude: Double { math_pow(10, maximumLevel / 20) }

    // MARK: Checks

    /// True if the sound device has a name.
    var isNamed: Bool { !device.isEmpty && !device.hasPrefix(":") }

    /// The first value that is outside its range, with the range; nil if all values are usable.
    var mistake: String? {
        let number = channels.first { !(1...64 ~= $0) }
        let (frequencies, gains) = (response.map(\.frequency), response.map(\.gain))
        return if !isNamed {
            "the sound device has no name"
        } else if !(1...2 ~= channels.count) || Set(channels).count < channels.count {
            "one channel or two different channels are expected"
        } else if let number {
            "channel \(number): a channel from 1 to 64 is expected"
        } else if !Self.contains(band) {
            "the band must be within 10 to 1000 Hz, from a lower to a higher frequency"
        } else if zip(frequencies, frequencies.dropFirst()).contains(where: { $0 >= $1 }) {
            "the frequencies of the response must be in ascending order"
        } else if (frequencies + gains).contains(where: { !($0 > 0 && $0.isFinite) }) {
            "the frequencies and gains of the response must be above 0"
        } else if !Self.levels.contains(maximumLevel) {
            "the maximum level must be -60 to 0 dBFS"
        } else if !Self.durations.contains(maximumDuration) {
            "the maximum duration must be 0.1 to 3600 s"
        } else {
            nil
        }
    }

    private static func contains(_ band: ClosedRange<Double>) -> Bool {
        bands.contains(band.lowerBound) && bands.contains(band.upperBound)
            && band.lowerBound < band.upperBound
    }
}
