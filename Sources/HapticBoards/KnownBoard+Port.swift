// KnownBoard+Port: the command that flashes the board on a port.

import BridgeLink
import SerialPorts

extension KnownBoard {
    /// The advice for updating a board whose firmware is part of a sketch.
    private static let uploadAdvice =
        "the board runs the firmware as an Arduino library: run `make arduino-library`, add the "
        + "ZIP file to the IDE, and upload the example Bridge of the library"

    /// Returns the command that flashes the board on a port. The command specifies the board as
    /// precisely as the USB id of the port allows.
    package static func flashCommand(at port: String?) -> String {
        let known = port.flatMap { PortList.port(at: $0) }?.known
        guard known?.runsSketches != true else { return uploadAdvice }
        return (known?.isRP2040 == true ? BoardKind.pico : .unknown).flashCommand(port: port)
    }
}
