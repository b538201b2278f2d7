// HapticLocality: a location on a board where haptics are felt, in GameController's terms.

import BridgeLink

/// A location on a board where haptics are felt, with the names of `GCHapticsLocality`.
///
/// The locality of each actuator is part of its configuration (`bridge actuator set --locality`).
public struct HapticLocality: Codable, RawRepresentable, Hashable, Sendable {
    /// The name of the locality, as GameController spells it.
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The handles of a board that has handles; all actuators of any other board.
    public static let `default` = HapticLocality(rawValue: "default")
    /// All actuators.
    public static let all = HapticLocality(rawValue: "all")
    /// Both handles.
    public static let handles = HapticLocality(rawValue: "handles")
    /// The left handle.
    public static let leftHandle = HapticLocality(rawValue: "leftHandle")
    /// The right handle.
    public static let rightHandle = HapticLocality(rawValue: "rightHandle")
    /// Both triggers.
    public static let triggers = HapticLocality(rawValue: "triggers")
    /// The left trigger.
    public static let leftTrigger = HapticLocality(rawValue: "leftTrigger")
    /// The right trigger.
    public static let rightTrigger = HapticLocality(rawValue: "rightTrigger")

    /// Returns the locality of one actuator, by its number.
    package static func actuator(_ number: Int) -> HapticLocality {
        HapticLocality(rawValue: actuatorPrefix + "\(number)")
    }

    private static let actuatorPrefix = "actuator "

    /// The number of the actuator, if the locality is a single actuator; nil for a locality that
    /// GameController defines.
    package var actuator: Int? {
        rawValue.hasPrefix(Self.actuatorPrefix)
            ? Int(rawValue.dropFirst(Self.actuatorPrefix.count)) : nil
    }

    /// All defined localities, in GameController's order.
    public static let known: [HapticLocality] = [
        .default, .all, .handles, .leftHandle, .rightHandle, .triggers, .leftTrigger, .rightTrigger,
    ]

    /// Returns the actuators of a board that belong to the locality; an empty array if there are
    /// none.
    public func actuators(of statuses: [ActuatorStatus]) -> [ActuatorStatus] {
        if let actuator { return statuses.filter { $0.actuator == actuator } }
        let parts: Set<Locality> =
            switch self {
            case .handles: [.leftHandle, .rightHandle]
            case .triggers: [.leftTrigger, .rightTrigger]
            case .leftHandle: [.leftHandle]
            case .rightHandle: [.rightHandle]
            case .leftTrigger: [.leftTrigger]
            case .rightTrigger: [.rightTrigger]
            case .all: []
            case .default:
                Self.handles.actuators(of: statuses).isEmpty ? [] : [.leftHandle, .rightHandle]
            default: [Locality(rawValue: .max)]
            }
        return statuses.filter { parts.isEmpty || parts.contains($0.locality) }
    }

    /// Returns the localities of a board with the given actuators. The result always includes `all`
    /// and `default`.
    public static func supported(by statuses: [ActuatorStatus]) -> [HapticLocality] {
        known.filter { !$0.actuators(of: statuses).isEmpty }
    }
}

/// The GameController name of ``HapticLocality``.
public typealias GCHapticsLocality = HapticLocality

/// An error that is thrown when a board has no actuator at a locality.
public struct LocalityError: Error, Hashable, CustomStringConvertible {
    /// The locality that was requested.
    public let locality: HapticLocality
    /// The localities that the board has.
    public let supported: [HapticLocality]

    public var description: String {
        if let actuator = locality.actuator { return "the board has no actuator \(actuator)" }
        return "no actuator of the board is at \(locality.rawValue); the board has "
            + supported.map(\.rawValue).joined(separator: ", ")
    }
}

extension HapticBoard {
    /// Returns the localities of this board. The result always includes `all` and `default`.
    public func supportedLocalities() throws -> Set<HapticLocality> {
        Set(HapticLocality.supported(by: try actuators()))
    }

    /// Returns the actuators at a locality. Actuators that cannot play are omitted. If none of the
    /// actuators can play, the result is the first actuator, and playback on it is rejected with
    /// the reason.
    ///
    /// - Throws: `LocalityError` if the board has no actuator at the locality, and the errors that
    ///   all methods throw.
    public func actuatorMask(at locality: HapticLocality) throws -> ActuatorMask {
        // The capabilities of an actuator are not known until its set-up is complete.
        try locality.mask(of: try waitUntilSettled())
    }
}

extension HapticLocality {
    /// Returns the actuators of a locality that can play, as ``HapticBoard/actuatorMask(at:)``
    /// does.
    package func mask(of statuses: [ActuatorStatus]) throws(LocalityError) -> ActuatorMask {
        let there = actuators(of: statuses)
        guard let first = there.first else {
            throw LocalityError(locality: self, supported: Self.supported(by: statuses))
        }
        let players = there.filter(\.state.canPlay)
        return (players.isEmpty ? [first] : players).reduce(into: []) {
            $0.insert(ActuatorMask(index: Int($1.actuator)))
        }
    }
}
