// BoardCapability: what a board can do, as far as can be told without opening its port.

import BoardSharing
import Foundation
import HapticBoards
import HapticPatterns
import SerialPorts

/// The capabilities of a board, as far as they can be determined without opening its port.
struct BoardCapability: HapticDeviceCapability {
    let supportsHaptics: Bool
    let isPreview: Bool
    /// True if the computer plays audio events: whether the program has installed sound, and there
    /// is a device for it. Boards have no loudspeaker.
    var supportsAudio: Bool { InstalledSound.output?.isAvailable ?? false }

    /// A board that may be there, as nothing is known of it before it is asked.
    static let possible = BoardCapability(supportsHaptics: true, isPreview: false)
    /// No board, but a preview.
    static let preview = BoardCapability(supportsHaptics: false, isPreview: true)

    /// Looks for the port that ``BoardSearch/portVariable`` names, or else for the ports that a
    /// search opens. A port that this program plays on counts, and one with a board that another
    /// program of the user serves; a port that another program has locked does not. The open files of
    /// other programs are not looked at, because that takes time and apps ask on their main thread.
    ///
    /// - Parameter path: the path of the named port, if there is one.
    static func present(
        on computer: Computer = Computer(), named path: String? = BoardSearch.environmentPort
    ) -> BoardCapability {
        if let path {
            return of(isUsable(path, on: computer) && mayBeBoard(path, on: computer))
        }
        let ports = (try? computer.ports(openFiles: false))?.searched() ?? []
        return of(ports.contains(where: computer.isUsable))
    }

    /// Looks for the port with a USB serial number.
    static func present(
        on computer: Computer = Computer(), withSerialNumber serialNumber: String
    ) -> BoardCapability {
        let ports = (try? PortList.all(in: computer.system, openFiles: false)) ?? []
        return of(
            ports.contains {
                $0.usb?.serialNumber == serialNumber && $0.mayBeNamed && computer.isUsable($0)
            })
    }

    private static func of(_ supportsHaptics: Bool) -> BoardCapability {
        BoardCapability(supportsHaptics: supportsHaptics, isPreview: false)
    }

    private static func isUsable(_ path: String, on computer: Computer) -> Bool {
        PortList.access(to: path, in: computer.system, openFiles: false) == .free
            || ServedBoard.isThere(port: path)
    }

    /// Returns whether a path leads to a port that may be a board: a serial port whose USB id does not say
    /// otherwise, or the pseudo-terminal of a virtual board.
    private static func mayBeBoard(_ path: String, on computer: Computer) -> Bool {
        if NetworkAddress.isMeant(by: path) { return true }
        if let port = PortList.port(at: path, in: computer.system) { return port.mayBeNamed }
        return PortList.isTerminal(path)
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

extension PortDescription {
    /// True if the port may be a board where a person names it: a boot loader and a debug probe
    /// never are.
    fileprivate var mayBeNamed: Bool { known?.role != .bootloader && known?.role != .probe }
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
