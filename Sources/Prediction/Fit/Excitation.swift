// Excitation: the drives that are played to measure the motion of an actuator.

import HapticCompiler
import VirtualBoard

/// A drive that consists of held levels.
public struct Excitation: Sendable {
    /// A level that is held.
    struct Hold {
        /// The level, 0...255.
        var level: UInt8
        /// The length in milliseconds.
        var length: Int
        /// The sharpness, 0...1, which only an actuator with a band renders.
        var sharpness = 0.0
    }

    var holds: [Hold]

    /// The rest before and after a drive, in milliseconds.
    private static let rest = 120

    /// The drive from which most values of an LRA or an ERM are determined.
    ///
    /// The drive begins with full level, from which the acceleration at the rated voltage is
    /// determined. It also ends with full level, so that a change caused by repeated drive can be
    /// recognized.
    public static func main(_ kind: Plant.Kind) -> Excitation {
        switch kind {
        case .lra:
            Excitation([
                (255, 150), (0, 150), (128, 150), (0, 150), (64, 150), (0, 150), (255, 60),
                (110, 60), (255, 60), (160, 60), (0, 100), (255, 8), (0, 80), (255, 14), (0, 80),
                (255, 8), (0, 80), (255, 150), (0, 100),
            ])
        case .erm:
            Excitation([
                (255, 300), (0, 250), (255, 40), (100, 250), (200, 200), (100, 200), (160, 200),
                (60, 250), (255, 200), (40, 100), (0, 250), (255, 60), (0, 150), (255, 300),
                (0, 200),
            ])
        }
    }

    /// A short drive that shows along which axis an actuator moves.
    public static func probe(_ kind: Plant.Kind) -> Excitation {
        Excitation([(255, kind == .lra ? 60 : 150), (0, 100)])
    }

    /// Returns the slowly rising drive from which the start voltage of an ERM is determined. In
    /// closed loop, the loop amplifies the drive of a motor at rest, so every motor starts at less
    /// than half of the full drive.
    public static func start(inClosedLoop isClosedLoop: Bool) -> Excitation {
        let holds = isClosedLoop ? (8...128).map { (UInt8($0), 25) } : (8...255).map { ($0, 12) }
        return Excitation(holds + [(0, 300)])
    }

    /// A drive that is not used for the fit. The fitted model is tested with this drive.
    public static func unused(_ kind: Plant.Kind) -> Excitation {
        switch kind {
        case .lra:
            Excitation([
                (255, 20), (0, 70), (90, 120), (200, 50), (50, 90), (0, 60), (200, 12), (0, 50),
                (120, 12), (0, 80),
            ])
        case .erm:
            Excitation([
                (255, 50), (0, 60), (255, 30), (120, 150), (200, 80), (90, 100), (0, 100),
                (255, 45), (0, 100),
            ])
        }
    }

    private init(_ holds: [(UInt8, Int)]) {
        self.init(holds.map { Hold(level: $0.0, length: $0.1) })
    }

    private init(_ holds: [Hold]) {
        let rest = Hold(level: 0, length: Self.rest)
        self.holds = [rest] + holds + [rest]
    }
}

/// The drives for an actuator with a band.
extension Excitation {
    /// The number of intervals into which a band is divided.
    private static let bandParts = 15

    /// A short drive in the middle of a band that shows along which axis an actuator moves.
    public static func probe(_ band: FrequencyBand) -> Excitation {
        Excitation(sweep([0.5], band, level: 255, length: 60))
    }

    /// The drive from which the response is determined: full level at frequencies whose ratios are
    /// equal, from the lowest to the highest frequency. The lowest frequency is repeated, so that a
    /// change caused by repeated drive can be recognized.
    public static func main(_ band: FrequencyBand) -> Excitation {
        let parts = (0...bandParts).map { Double($0) / Double(bandParts) }
        return Excitation(sweep(parts + [0], band, level: 255))
    }

    /// A drive that is not used for the response, with frequencies between those of ``main(_:)`` and
    /// a lower level.
    public static func unused(_ band: FrequencyBand) -> Excitation {
        let parts = (0..<bandParts).map { (Double($0) + 0.5) / Double(bandParts) }
        return Excitation(sweep(parts, band, level: 160))
    }

    /// Returns holds of a level with rests between them.
    ///
    /// - Parameter parts: the frequencies, as parts of the logarithmic width of the band.
    private static func sweep(
        _ parts: [Double], _ band: FrequencyBand, level: UInt8, length: Int = 160
    ) -> [Hold] {
        var even = band
        even.law = .logarithmic
        return parts.flatMap {
            [
                Hold(level: level, length: length, sharpness: even.streamSharpness(of: $0)),
                Hold(level: 0, length: 60),
            ]
        }
    }
}

/// The parts of a record that show the actuator at a constant level.
extension Excitation {
    /// The minimum length of a level that counts as held, in microseconds.
    private static let leastHeld = 100_000

    /// Returns the levels that are held, with the last third of their times, in microseconds.
    static func heldLevels(
        during record: VibrationRecord
    ) -> [(level: Double, range: ClosedRange<Double>)] {
        zip(record.drive, record.drive.dropFirst()).compactMap { change, next in
            let length = next.time - change.time
            guard change.drive > 0, length >= leastHeld else { return nil }
            let end = Double(next.time)
            return (Double(change.drive) / 255, end - Double(length) / 3...end)
        }
    }

    /// Returns the last third of the first level that is held, in microseconds.
    static func steady(during record: VibrationRecord) -> ClosedRange<Double> {
        heldLevels(during: record).first?.range ?? 0...0
    }
}
