// HapticOutput: the haptic output at one time, of a board or a preview.

import HapticCompiler
import HapticPatterns

/// The intensity and sharpness of the haptic output at one time, for an image or a sound that
/// accompanies the haptics.
public struct HapticOutput: Hashable, Sendable {
    /// The intensity, 0...1; 0 in silence.
    public var intensity: Float
    /// The sharpness, 0...1; 0 in silence.
    public var sharpness: Float

    /// The output when nothing plays.
    public static let silence = HapticOutput(intensity: 0, sharpness: 0)

    /// The time for which a transient event is part of the output, in microseconds: one frame at 50
    /// Hz. On a board, a transient event takes 5 to 30 ms, depending on the actuator.
    static let transientLength: Microseconds = 20_000

    /// Creates an output.
    public init(intensity: Float, sharpness: Float) {
        (self.intensity, self.sharpness) = (intensity, sharpness)
    }

    /// Creates the output of taps and layers at a time: the output of the last tap, or of the
    /// loudest layer if that layer is louder than the tap.
    init(_ taps: [VoiceTap], _ pieces: [LayerPiece], at time: Microseconds) {
        let tap = taps.filter { $0.time <= time && time - $0.time < Self.transientLength }
            .reduce(nil as VoiceTap?) { last, tap in
                last.map { $0.time > tap.time ? $0 : tap } ?? tap
            }
        let present = pieces.filter { $0.start <= time && time < $0.end }
        let mixed = Mixer(policy: .loudest).mix(present, in: time..<(time + 1))[0]
        let level = mixed.level.value(at: time)
        if let tap, tap.intensity >= level {
            self.init(tap.intensity, tap.sharpness)
        } else {
            self.init(level, mixed.sharpness?.value(at: time) ?? 0)
        }
    }

    private init(_ intensity: Double, _ sharpness: Double) {
        let intensity = Float(min(max(intensity, 0), 1))
        self.init(intensity: intensity, sharpness: intensity > 0 ? Float(sharpness) : 0)
    }
}
