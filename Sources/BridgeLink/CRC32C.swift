// CRC32C: the check that ends every body, seeded with the session (SPEC 2.1).

import CBridgeProtocol

/// CRC-32C (Castagnoli) over bytes, its register started at `CRC_INIT` xor the session id (SPEC 2.1).
public struct CRC32C: Sendable {
    /// The register: what `CRC_RESIDUE` is compared with after a body and its CRC.
    public private(set) var register: UInt32

    /// - Parameter session: the session id; 0 for class CONNECT and for files (SPEC 7.1).
    public init(session: UInt32 = 0) {
        register = UInt32(BRIDGE_CRC_INIT) ^ session
    }

    /// Runs `bytes` through the register.
    public mutating func update(_ bytes: some Sequence<UInt8>) {
        for byte in bytes {
            register = Self.table[Int(UInt8(truncatingIfNeeded: register) ^ byte)] ^ register >> 8
        }
    }

    /// The check of all bytes so far, sent least significant byte first.
    public var value: UInt32 { register ^ UInt32(BRIDGE_CRC_XOROUT) }

    /// Whether the bytes so far were a body with its right CRC.
    public var isResidue: Bool { register == UInt32(BRIDGE_CRC_RESIDUE) }

    /// The check of `bytes` in `session`.
    public static func checksum(_ bytes: some Sequence<UInt8>, session: UInt32 = 0) -> UInt32 {
        var crc = CRC32C(session: session)
        crc.update(bytes)
        return crc.value
    }

    /// What eight zero bits do to each value of the low byte.
    private static let table: [UInt32] = (0..<256).map { low in
        (0..<8).reduce(UInt32(low)) { remainder, _ in
            remainder >> 1 ^ (remainder & 1 == 0 ? 0 : UInt32(BRIDGE_CRC_POLYNOMIAL))
        }
    }
}
