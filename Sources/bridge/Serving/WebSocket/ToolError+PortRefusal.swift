// ToolError+PortRefusal: the error of a server for programs on this computer that cannot open its
// port.

import LocalServers
import SerialPorts
import ToolSupport

extension ToolError {
    /// Creates an error that names the option with the port.
    init(_ refusal: PortRefusal, of option: String, at port: Int) {
        self.init(
            TransportError.network(
                path: "\(option) 127.0.0.1:\(port)", .cannotListen(code: refusal.code)),
            port: nil)
    }
}
