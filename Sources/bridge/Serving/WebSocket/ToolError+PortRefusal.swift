// ToolError+PortRefusal: the error for a local server that cannot listen on its port.

import LocalServers
import SerialPorts
import ToolSupport

extension ToolError {
    /// Creates an error whose message contains the option and the port.
    init(_ refusal: PortRefusal, of option: String, at port: Int) {
        self.init(
            TransportError.network(
                path: "\(option) 127.0.0.1:\(port)", .cannotListen(code: refusal.code)),
            port: nil)
    }
}
