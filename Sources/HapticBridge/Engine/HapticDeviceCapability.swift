// What the hardware can do: Core Haptics' protocol, and the answer of this library.

import AHAP
import BridgeLink

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The least, the greatest and the usual value of a parameter.
public protocol HapticParameterAttributes {
    /// Values below are taken as this one.
    var minValue: Float { get }
    /// Values above are taken as this one.
    var maxValue: Float { get }
    /// What holds where nothing is said.
    var defaultValue: Float { get }
}

/// What haptic hardware can do.
public protocol HapticDeviceCapability: Sendable {
    /// Whether there is something to feel.
    var supportsHaptics: Bool { get }
    /// Whether there is something to hear.
    var supportsAudio: Bool { get }

    /// Range and default of an event's parameter.
    ///
    /// - Throws: ``HapticError`` `invalidParameterType` if events of that type do not have it,
    ///   `invalidEventType` if there is no such type.
    func attributes(
        forEventParameter parameter: CHHapticEvent.ParameterID,
        eventType type: CHHapticEvent.EventType
    ) throws -> any HapticParameterAttributes

    /// Range and default of a dynamic parameter.
    ///
    /// - Throws: ``HapticError`` `invalidParameterType` if there is none of that name.
    func attributes(
        forDynamicParameter parameter: CHHapticDynamicParameter.ID
    ) throws -> any HapticParameterAttributes
}

/// Core Haptics' spelling.
public typealias CHHapticDeviceCapability = HapticDeviceCapability
/// Core Haptics' spelling.
public typealias CHHapticParameterAttributes = HapticParameterAttributes

/// What a board can do, as far as can be told without opening its port.
struct BoardCapability: HapticDeviceCapability {
    let supportsHaptics: Bool
    /// Boards have no loudspeaker: audio events are read, checked and skipped.
    let supportsAudio = false

    /// Looks for the port that ``BoardSearch/portVariable`` names, else for those that a search opens;
    /// one that this program plays on counts, one that others use does not.
    ///
    /// - Parameter path: the port that is named.
    static func present(
        on computer: Computer = Computer(), named path: String? = BoardSearch.environmentPort
    ) -> BoardCapability {
        if let path {
            let access = PortList.access(to: path, in: computer.system)
            return BoardCapability(
                supportsHaptics: PortList.isDevice(path) && access == .free)
        }
        let ports = (try? computer.ports())?.searched() ?? []
        return BoardCapability(supportsHaptics: ports.contains { $0.access == .free })
    }

    func attributes(
        forEventParameter parameter: CHHapticEvent.ParameterID,
        eventType type: CHHapticEvent.EventType
    ) throws -> any HapticParameterAttributes {
        let id = try parameter.known()
        guard let standard = id.defaultValue(for: try type.known()) else {
            throw HapticError(.invalidParameterType, "\(type) events have no \(parameter)")
        }
        return Attributes(id.range, standard)
    }

    func attributes(
        forDynamicParameter parameter: CHHapticDynamicParameter.ID
    ) throws -> any HapticParameterAttributes {
        let id = try parameter.known()
        return Attributes(id.range, id.defaultValue)
    }
}

private struct Attributes: HapticParameterAttributes {
    let minValue: Float
    let maxValue: Float
    let defaultValue: Float

    init(_ range: ClosedRange<Double>, _ standard: Double) {
        minValue = Float(range.lowerBound)
        maxValue = Float(range.upperBound)
        defaultValue = Float(standard)
    }
}
