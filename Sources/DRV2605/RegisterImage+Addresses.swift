// Accesses the register values of an image by their addresses: 0x03 and 0x16 to 0x20, in this order
// (SPEC 8).

import BridgeLink

extension RegisterImage {
    /// The value of the register at `address`, which must be 0x03 or 0x16 to 0x20.
    public subscript(address: UInt8) -> UInt8 {
        get { bytes[Self.index(of: address)] }
        set { bytes[Self.index(of: address)] = newValue }
    }

    private static func index(of address: UInt8) -> Int {
        precondition(
            address == 0x03 || 0x16...0x20 ~= address, "register \(address) is not in the image")
        return address == 0x03 ? 0 : Int(address) - 0x15
    }
}
