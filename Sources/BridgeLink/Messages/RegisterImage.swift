// RegisterImage: the register values of the driver chip within a configuration. The link transfers
// the values without interpreting them.

import CBridgeProtocol

/// The register values that a device writes to set up its driver chip (SPEC 8).
public struct RegisterImage: Hashable, Sendable {
    /// The `IMAGE_SIZE` bytes as they are transmitted.
    public package(set) var bytes: [UInt8]

    /// Creates an image from its bytes.
    ///
    /// - Parameter bytes: exactly `IMAGE_SIZE` bytes.
    public init(bytes: [UInt8]) {
        precondition(
            bytes.count == Int(BRIDGE_IMAGE_SIZE), "an image has \(BRIDGE_IMAGE_SIZE) bytes")
        self.bytes = bytes
    }
}
