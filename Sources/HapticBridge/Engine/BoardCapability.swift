// BoardCapability: the capabilities of a board that can be determined without opening its port.

import BoardSharing
import Foundation
import HapticBoards
import HapticPatterns
import SerialPorts

/// The capabilities of a board that can be determined without opening its port.
struct BoardCapability: HapticDeviceCapability {
    let supportsHaptics: Bool
    let isPreview: Bool
    /// True if the computer can play audio events, because the program has called
    /// `HapticSound.install()` and there is a sound device. Boards have no loudspeaker.
    var supportsAudio: Bool { InstalledSound.output?.isAvailable ?? false }

    /// The capabilities of a board that may be present but has not been queried.
    static let possible = BoardCapability(supportsHaptics: true, isPreview: false)
    /// The capabilities of a preview, which has no board.
    static let preview = BoardCapability(supportsHaptics: false, isPreview: true)

    /// Returns the capabilities of the port that ``BoardSearch/portVariable`` names, or else of any
    /// port that a search would open. A port that this program uses counts as present, and so does
    /// a port whose board another program of the user serves. A port that another program has
    /// locked does not count as present. The open files of other programs are not examined, because
    /// that takes time and apps call this method on their main thread.
    ///
    /// - Parameter path: the path of the named port; nil if no port is named.
    static func present(
        on computer: PortEnvironment = PortEnvironment(),
        named path: String? = BoardSearch.environmentPort
    ) -> BoardCapability {
        if let path {
            return of(isUsable(path, on: computer) && mayBeBoard(path, on: computer))
        }
        let ports = (try? computer.ports(openFiles: false))?.searched() ?? []
        return of(ports.contains(where: computer.isUsable))
    }

    /// Returns the capabilities of the port with a USB serial number.
    static func present(
        on computer: PortEnvironment = PortEnvironment(), withSerialNumber serialNumber: String
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

    private static func isUsable(_ path: String, on computer: PortEnvironment) -> Bool {
        PortList.access(to: path, in: computer.system, openFiles: false) == .free
            || BoardServerClient.isThere(port: path)
    }

    /// Returns whether a path leads to a port that may be a board: a serial port whose USB id does
    /// not exclude a board, or the pseudo-terminal of a virtual board.
    private static func mayBeBoard(_ path: String, on computer: PortEnvironment) -> Bool {
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
    /// True if the port may be a board when the user names the port explicitly. Boot loaders and
    /// debug probes are excluded.
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
