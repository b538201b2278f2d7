// DeviceProfile: the capabilities of an actuator. Based on a profile, the compiler omits and
// reports the parts of a pattern that cannot be felt.

import EmbeddedFiles
import HapticPatterns
import JSONText

/// The capabilities of a kind of actuator. Times are in microseconds.
///
/// Four profiles are built in: ``reference`` preserves every field of a pattern; ``lra``, ``erm`` and
/// ``wideBand`` are approximate descriptions of kinds of actuators. Other profiles are read from JSON
/// files, see ``init(json:)``.
public struct DeviceProfile: Sendable, Hashable, Codable {
    /// The kind of actuator.
    public enum Kind: String, Sendable, CaseIterable, Codable {
        /// No particular actuator. Every field of a pattern is preserved.
        case reference
        /// A linear resonant actuator.
        case lra
        /// An eccentric rotating mass motor.
        case erm
        /// A linear actuator whose frequency follows the sharpness.
        case wideBand = "wide-band"
    }

    /// The name that selects the profile.
    public var name: String
    /// The kind of actuator.
    public var kind: Kind
    /// A description of the actuator in one sentence.
    public var description: String
    /// The length of a tap with sharpness 0, in microseconds. As the sharpness increases to 1, the
    /// length changes linearly to ``tapSharp`` (SPEC 8).
    public var tapDull: Microseconds
    /// The length of a tap with sharpness 1, in microseconds; at most ``tapDull``.
    public var tapSharp: Microseconds
    /// The response of the actuator over time, which the compiler uses to plan the drive; nil if
    /// the profile preserves every field of a pattern, or if the actuator has a band.
    public var plant: Plant?
    /// The band of the actuator; nil if its frequency does not follow the sharpness.
    public var band: FrequencyBand?
    /// The level that the actuator tolerates indefinitely, and the time for which it tolerates
    /// higher levels.
    public var budget: EnergyBudget
    /// True if the properties of the actuator were measured. If false, they are those of a data
    /// sheet, or estimates.
    public var isMeasured = false

    /// True if the actuator renders the sharpness of continuous events. If false, the stream does
    /// not contain that sharpness.
    public var keepsContinuousSharpness: Bool { plant == nil }

    /// Returns the length of a tap with the given sharpness of 0...1, in microseconds.
    public func tapLength(sharpness: Double) -> Microseconds {
        let sharpness = band.map { $0.streamSharpness(of: sharpness) } ?? sharpness
        return streamTapLength(sharpness: sharpness)
    }

    /// Returns the length of a tap with the given sharpness in the stream, 0...1, in microseconds.
    func streamTapLength(sharpness: Double) -> Microseconds {
        tapDull - Microseconds((Double(tapDull - tapSharp) * sharpness).rounded())
    }
}

extension DeviceProfile {
    /// A profile that preserves every field of a pattern. This profile is used for golden files and
    /// for boards that have no profile.
    public static let reference = builtIn("reference")
    /// A coin-sized linear resonant actuator on a DRV2605 in closed loop.
    public static let lra = builtIn("lra")
    /// A small eccentric rotating mass motor on a DRV2605.
    public static let erm = builtIn("erm")
    /// An actuator with a flat response from 80 to 300 Hz on a DRV2605L in open loop.
    public static let wideBand = builtIn("wide-band")

    /// The built-in profiles. The first profile is the default.
    public static let all = [reference, lra, erm, wideBand]

    /// Returns the built-in profile with the given name; nil if no profile has the name.
    public static func named(_ name: String) -> DeviceProfile? {
        all.first { $0.name == name }
    }

    @inline(never)
    private static func builtIn(_ name: String) -> DeviceProfile {
        do {
            return try DeviceProfile(json: EmbeddedFile.bytes("profiles/\(name).json"))
        } catch {
            preconditionFailure("built-in profile \(name).json: \(error)")
        }
    }
}
