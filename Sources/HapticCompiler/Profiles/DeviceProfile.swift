// DeviceProfile: the abilities of an actuator, which let the compiler leave out what cannot be felt
// and report it.

import EmbeddedFiles
import HapticPatterns
import JSONText

/// The abilities of a kind of actuator. Times are in microseconds.
///
/// Three profiles are built in: ``reference`` keeps everything; ``lra`` and ``erm`` are coarse
/// descriptions of the two common kinds. Other profiles are JSON files, see ``init(json:)``.
public struct DeviceProfile: Sendable, Hashable, Codable {
    /// The kind of actuator.
    public enum Kind: String, Sendable, CaseIterable, Codable {
        /// No particular actuator: every field of a pattern is kept.
        case reference
        /// A linear resonant actuator.
        case lra
        /// An eccentric rotating mass motor.
        case erm
    }

    /// The name that selects the profile.
    public var name: String
    /// The kind of actuator.
    public var kind: Kind
    /// A sentence that describes what the profile represents.
    public var description: String
    /// The length of a tap of sharpness 0, in microseconds. The length is linear in the sharpness,
    /// from this value to ``tapSharp`` (SPEC 8).
    public var tapDull: Microseconds
    /// The length of a tap of sharpness 1, in microseconds, at most ``tapDull``.
    public var tapSharp: Microseconds
    /// The response of the actuator, for which its drive is planned; nil for a profile that keeps
    /// everything.
    public var plant: Plant?
    /// The level that the actuator tolerates without end, and its tolerance of higher levels for a
    /// limited time.
    public var budget: EnergyBudget

    /// True if the sharpness of continuous events can be felt. If not, it is not sent.
    public var keepsContinuousSharpness: Bool { plant == nil }

    /// Returns the length of a tap with a sharpness of 0...1, in microseconds.
    public func tapLength(sharpness: Double) -> Microseconds {
        tapDull - Microseconds((Double(tapDull - tapSharp) * sharpness).rounded())
    }
}

extension DeviceProfile {
    /// A profile that keeps every field of a pattern, for golden files and for unknown boards.
    public static let reference = builtIn("reference")
    /// A coin-sized linear resonant actuator on a DRV2605 in closed loop.
    public static let lra = builtIn("lra")
    /// A small eccentric rotating mass motor on a DRV2605.
    public static let erm = builtIn("erm")

    /// The built-in profiles; the first is the default.
    public static let all = [reference, lra, erm]

    /// Returns the built-in profile with a name, or nil if there is none.
    public static func named(_ name: String) -> DeviceProfile? {
        all.first { $0.name == name }
    }

    private static func builtIn(_ name: String) -> DeviceProfile {
        do {
            return try DeviceProfile(json: EmbeddedFile.bytes("profiles/\(name).json"))
        } catch {
            preconditionFailure("built-in profile \(name).json: \(error)")
        }
    }
}
