// HapticLocality: where on a board something is felt, in GameController's words.

import BridgeLink

/// Where on a board something is felt: the names of `GCHapticsLocality`.
///
/// What each actuator reaches is part of its configuration (`bridge actuator set --locality`).
public struct HapticLocality: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The handles of a board that has some, else all actuators.
    public static let `default` = HapticLocality(rawValue: "default")
    /// All actuators.
    public static let all = HapticLocality(rawValue: "all")
    /// Both handles.
    public static let handles = HapticLocality(rawValue: "handles")
    public static let leftHandle = HapticLocality(rawValue: "leftHandle")
    public static let rightHandle = HapticLocality(rawValue: "rightHandle")
    /// Both triggers.
    public static let triggers = HapticLocality(rawValue: "triggers")
    public static let leftTrigger = HapticLocality(rawValue: "leftTrigger")
    public static let rightTrigger = HapticLocality(rawValue: "rightTrigger")

    /// Those that there are, in GameController's order.
    public static let known: [HapticLocality] = [
        .default, .all, .handles, .leftHandle, .rightHandle, .triggers, .leftTrigger, .rightTrigger,
    ]

    /// The actuators that it is made of, of those of a board. Empty if the board has none there.
    public func actuators(of statuses: [ActuatorStatus]) -> [ActuatorStatus] {
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

    /// Those that a board with such actuators has; `all` and `default` always.
    public static func supported(by statuses: [ActuatorStatus]) -> [HapticLocality] {
        known.filter { !$0.actuators(of: statuses).isEmpty }
    }
}

/// GameController's spelling.
public typealias GCHapticsLocality = HapticLocality

/// A board has nothing where something is to be felt.
public struct LocalityError: Error, Hashable, CustomStringConvertible {
    /// What was asked for.
    public let locality: HapticLocality
    /// What there is.
    public let supported: [HapticLocality]

    public var description: String {
        "no actuator of the board is at \(locality.rawValue); it has "
            + supported.map(\.rawValue).joined(separator: ", ")
    }
}

extension HapticBoard {
    /// Where this board can be felt; `all` and `default` are always among it.
    public func supportedLocalities() throws -> Set<HapticLocality> {
        Set(HapticLocality.supported(by: try actuators()))
    }

    /// The actuators that are felt at a locality. Those that cannot play are left out, unless none
    /// can: then playing there is refused with the reason.
    ///
    /// - Throws: `LocalityError` if the board has nothing there, and as all methods.
    public func actuatorMask(at locality: HapticLocality) throws -> ActuatorMask {
        // What one that is being set up will be able to do is not known yet.
        try locality.mask(of: try (0..<welcome.actuators).map { try waitUntilSettled($0) })
    }
}

extension HapticLocality {
    /// See ``HapticBoard/actuatorMask(at:)``.
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
