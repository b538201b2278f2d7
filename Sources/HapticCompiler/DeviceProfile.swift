// What an actuator can render, so that the compiler can leave out what cannot be felt and say so.

public import AHAP

/// What a kind of actuator can render. Times are in microseconds.
///
/// Built in: ``reference`` keeps everything; ``lra`` and ``erm`` are coarse descriptions of the two
/// common kinds. Others are JSON files, see ``init(json:)``.
public struct DeviceProfile: Sendable, Hashable {
    /// The kind of actuator.
    public enum Kind: String, Sendable, CaseIterable {
        /// None: keeps every field of a pattern.
        case reference
        /// A linear resonant actuator.
        case lra
        /// An eccentric rotating mass motor.
        case erm
    }

    /// The name by which the profile is chosen.
    public var name: String
    /// The kind of actuator.
    public var kind: Kind
    /// One sentence on what the profile stands for.
    public var description: String
    /// Whether the sharpness of continuous events can be felt. If not, it is not sent.
    public var keepsContinuousSharpness: Bool
    /// Whether the sharpness of taps can be felt. If not, all taps are sent with the same.
    public var keepsTapSharpness: Bool
    /// The length of a tap of sharpness 0; between this and ``tapSharp`` it is linear (SPEC 8).
    public var tapDull: Microseconds
    /// The length of a tap of sharpness 1, at most ``tapDull``.
    public var tapSharp: Microseconds
    /// Taps closer than this fuse mechanically into one.
    public var minimumTapSpacing: Microseconds
    /// From rest to full strength.
    public var rise: Microseconds
    /// From full strength to rest.
    public var brake: Microseconds
    /// The least level above 0 that moves the actuator, 0...1.
    public var levelFloor: Double
    /// What the actuator stands without end, and for a while.
    public var budget: EnergyBudget

    /// How long a tap of a sharpness of 0...1 sounds, in microseconds.
    public func tapLength(sharpness: Double) -> Microseconds {
        tapDull - Microseconds((Double(tapDull - tapSharp) * sharpness).rounded())
    }
}

extension DeviceProfile {
    /// Keeps every field of a pattern: for golden files and for boards not yet known.
    public static let reference = builtIn("reference", PackageResources.reference_json)
    /// A coin-sized linear resonant actuator on a DRV2605 in closed loop.
    public static let lra = builtIn("lra", PackageResources.lra_json)
    /// A small eccentric rotating mass motor on a DRV2605.
    public static let erm = builtIn("erm", PackageResources.erm_json)

    /// All built-in profiles; the first is the default.
    public static let all = [reference, lra, erm]

    /// The built-in profile of a name, or nil.
    public static func named(_ name: String) -> DeviceProfile? {
        all.first { $0.name == name }
    }

    private static func builtIn(_ name: String, _ json: [UInt8]) -> DeviceProfile {
        do {
            return try DeviceProfile(json: json)
        } catch {
            preconditionFailure("built-in profile \(name).json: \(error)")
        }
    }
}

/// Why a profile was refused.
public struct DeviceProfileError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Where in the file; nil if something is missing as a whole.
    public var place: SourcePlace?
    /// What was found, in one sentence without a full stop.
    public var message: String

    /// `line:column: error: message`.
    public var description: String { (place.map { "\($0): " } ?? "") + "error: \(message)" }
}
