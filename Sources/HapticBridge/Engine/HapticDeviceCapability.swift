// What the hardware can do: Core Haptics' protocol, and the answer of this library.

import AHAP
import BridgeLink

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The least, the greatest and the usual value of a parameter.
public struct HapticParameterAttributes: Sendable, Hashable {
    /// Values below are taken as this one.
    public var minValue: Float
    /// Values above are taken as this one.
    public var maxValue: Float
    /// What holds where nothing is said.
    public var defaultValue: Float
}

/// What haptic hardware can do.
public protocol HapticDeviceCapability: Sendable {
    /// Whether there is something to feel.
    var supportsHaptics: Bool { get }
    /// Whether there is something to hear.
    var supportsAudio: Bool { get }

    /// Range and default of an event's parameter.
    ///
    /// - Throws: ``HapticError`` `invalidParameterType` if events of that type do not have it.
    func attributes(
        forEventParameter parameter: HapticEvent.ParameterID, eventType type: HapticEvent.EventType
    ) throws -> HapticParameterAttributes

    /// Range and default of a dynamic parameter.
    func attributes(
        forDynamicParameter parameter: HapticDynamicParameter.ID
    ) throws -> HapticParameterAttributes
}

/// Core Haptics' spelling.
public typealias CHHapticDeviceCapability = HapticDeviceCapability
/// Core Haptics' spelling.
public typealias CHHapticParameterAttributes = HapticParameterAttributes

/// What a board can do, as far as can be told without touching its port.
struct BoardCapability: HapticDeviceCapability {
    let supportsHaptics: Bool
    /// Boards have no loudspeaker: audio events are read, checked and skipped.
    let supportsAudio = false

    /// Looks for a port that ``BoardSearch/portVariable`` names, or one of a known board that may
    /// be opened.
    static func present() -> BoardCapability {
        if let path = BoardSearch.environmentPort {
            return BoardCapability(supportsHaptics: FileManager.default.fileExists(atPath: path))
        }
        let ports = (try? PortList.all()) ?? []
        return BoardCapability(
            supportsHaptics: ports.contains {
                $0.isCandidate && ($0.access == .free || BoardLoop.isAt($0.path))
            })
    }

    func attributes(
        forEventParameter parameter: HapticEvent.ParameterID, eventType type: HapticEvent.EventType
    ) throws -> HapticParameterAttributes {
        guard let standard = parameter.defaultValue(for: type) else {
            throw HapticError(
                .invalidParameterType, "\(type.rawValue) events have no \(parameter.rawValue)")
        }
        return HapticParameterAttributes(parameter.range, standard)
    }

    func attributes(
        forDynamicParameter parameter: HapticDynamicParameter.ID
    ) throws -> HapticParameterAttributes {
        HapticParameterAttributes(parameter.range, parameter.defaultValue)
    }
}

extension HapticParameterAttributes {
    fileprivate init(_ range: ClosedRange<Double>, _ standard: Double) {
        minValue = Float(range.lowerBound)
        maxValue = Float(range.upperBound)
        defaultValue = Float(standard)
    }
}
