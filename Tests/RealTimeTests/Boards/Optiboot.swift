// Optiboot: boot loaders that report the signature of a chip other than the ATmega328P.

import Foundation
import TestSupport

extension SimulatedUno {
    /// Writes a copy of the boot loader that reports a different third byte of the chip's
    /// signature.
    static func optiboot(signature: UInt8, in folder: Folder) throws -> URL {
        var bytes = try hexBytes(optiboot)
        // The instructions LDI r24, 0x95, a call and LDI r24, 0x0F send the last two bytes of the
        // signature in the answer to STK_READ_SIGN.
        let place = bytes.indices.dropLast(6).first {
            bytes[$0...($0 + 1)] == [0x85, 0xE9] && bytes[($0 + 4)...($0 + 5)] == [0x8F, 0xE0]
        }
        guard let place else { throw CocoaError(.fileReadCorruptFile) }
        bytes[place + 4] = 0x80 | signature & 0x0F
        bytes[place + 5] = 0xE0 | signature >> 4
        return try folder.write("other.hex", Data(hexText(bytes, at: 0x7E00).utf8))
    }

    /// Returns the data in an Intel HEX file, without the addresses.
    static func hexBytes(_ file: URL) throws -> [UInt8] {
        let text = try String(contentsOf: file, encoding: .utf8)
        return text.split(whereSeparator: \.isNewline).flatMap { line -> [UInt8] in
            let digits = line.dropFirst()
            let bytes = stride(from: 0, to: digits.count, by: 2).map {
                UInt8(digits.dropFirst($0).prefix(2), radix: 16)!
            }
            return bytes[3] == 0 ? Array(bytes[4..<bytes.count - 1]) : []
        }
    }

    private static func hexText(_ bytes: [UInt8], at address: Int) -> String {
        let records = stride(from: 0, to: bytes.count, by: 16).map { start -> String in
            let data = bytes[start..<min(start + 16, bytes.count)]
            let place = address + start
            let record = [UInt8(data.count), UInt8(place >> 8), UInt8(place & 0xFF), 0] + data
            let sum = record.reduce(0, &+)
            return ":" + (record + [0 &- sum]).map { String(format: "%02X", $0) }.joined()
        }
        return (records + [":00000001FF", ""]).joined(separator: "\n")
    }
}
