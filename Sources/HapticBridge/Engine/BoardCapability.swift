// BoardCapability: what a board can do, as far as can be told without opening its port.

import Foundation
import HapticPatterns
import SerialPorts

/// The capabilities of a board, as far as they can be determined without opening its port.
struct BoardCapability: HapticDeviceCapability {
    let supportsHaptics: Bool
    /// Always false, because boards have no loudspeaker. Audio events are read, checked and
    /// skipped.
    let supportsAudio = false

    /// Looks for the port that ``BoardSearch/portVariable`` names, or else for the ports that a
    /// search opens. A port that this program plays on counts, and one with a board that another
    /// program of the user serves; a port that is used otherwise does not.
    ///
    /// - Parameter path: the path of the named port, if there is one.
    static func present(
        on computer: Computer = Computer(), named path: String? = BoardSearch.environmentPort
    ) -> BoardCapability {
        if let path {
            let access = PortList.access(to: path, in: computer.system)
            return BoardCapability(
                supportsHaptics: PortList.isDevice(path)
                    && (access == .free || ServedBoard.isThere(port: path)))
        }
        let ports = (try? computer.ports())?.searched() ?? []
        return BoardCapability(supportsHaptics: ports.contains(where: computer.isUsable))
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
