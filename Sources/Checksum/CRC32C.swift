// CRC32C: the checksum of frames (seeded with the session id, SPEC 2.1) and of compiled files (SPEC
// 7.6).

import CBridgeProtocol

/// A CRC-32C (Castagnoli) of bytes. The initial value of the register is `CRC_INIT` xor the session
/// id (SPEC 2.1).
package struct CRC32C: Sendable {
    /// The register. After an undamaged body and its CRC have been added, the value is equal to
    /// `CRC_RESIDUE`.
    package private(set) var register: UInt32

    /// Creates the checksum of an empty sequence.
    ///
    /// - Parameter session: the session id; 0 for class CONNECT and for files (SPEC 7.6).
    package init(session: UInt32 = 0) {
        register = UInt32(BRIDGE_CRC_INIT) ^ session
    }

    /// Adds bytes to the checksum.
    package mutating func update(_ bytes: [UInt8]) {
        for byte in bytes {
            register = Self.table[Int(UInt8(truncatingIfNeeded: register) ^ byte)] ^ register >> 8
        }
    }

    /// The checksum of all bytes that have been added. The checksum is sent with the least
    /// significant byte first.
    package var value: UInt32 { register ^ UInt32(BRIDGE_CRC_XOROUT) }

    /// True if the bytes that have been added are a body followed by its correct CRC.
    package var isResidue: Bool { register == UInt32(BRIDGE_CRC_RESIDUE) }

    /// Returns the checksum of `bytes` for the given session.
    package static func checksum(_ bytes: [UInt8], session: UInt32 = 0) -> UInt32 {
        var crc = CRC32C(session: session)
        crc.update(bytes)
        return crc.value
    }

    /// The effect of eight zero bits on the register, for each value of the register's low byte.
    private static let table: [UInt32] = (0..<256).map { low in
        (0..<8).reduce(UInt32(low)) { remainder, _ in
            remainder >> 1 ^ (remainder & 1 == 0 ? 0 : UInt32(BRIDGE_CRC_POLYNOMIAL))
        }
    }
}
