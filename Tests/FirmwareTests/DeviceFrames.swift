// DeviceFrames: Swift functions for the core's framing, and access to the vector files.

import CBridgeFirmware
import CBridgeProtocol
import Foundation
import TestSupport

/// The device side of the framing (SPEC 2).
enum DeviceFrames {
    static func crc(_ bytes: [UInt8], session: UInt32) -> UInt32 {
        bytes.reduce(0xFFFF_FFFF ^ session) { frame_crc_update($0, $1) } ^ 0xFFFF_FFFF
    }

    /// Returns a stuffed body with its delimiter. This function is an independent implementation of
    /// SPEC 2 for bodies of at most 254 bytes.
    static func stuff(_ body: [UInt8]) -> [UInt8] {
        body.split(separator: 0, omittingEmptySubsequences: false)
            .flatMap { [UInt8($0.count + 1)] + $0 } + [0]
    }

    /// Returns the frame that the device sends for a body without its CRC.
    static func frame(_ body: [UInt8], session: UInt32) -> [UInt8] {
        var sender = frame_sender()
        let start = frame_sender_body(&sender)!
        start.update(from: body, count: body.count)
        frame_sender_begin(&sender, start + body.count, session)
        while !sender.is_ready { frame_sender_step(&sender, 0) }
        var frame: [UInt8] = []
        var byte: UInt8 = 0
        while frame_sender_take(&sender, &byte) { frame.append(byte) }
        return frame
    }

    /// Returns the bodies, without CRC, that the receiver extracts, and the number of frames
    /// counted as damaged.
    static func receive(
        _ bytes: some Sequence<UInt8>, session: UInt32
    ) -> (bodies: [[UInt8]], damaged: Int) {
        var receiver = frame_receiver()
        receiver.session = session
        var (bodies, damaged): ([[UInt8]], Int) = ([], 0)
        for byte in bytes {
            switch frame_receive(&receiver, byte) {
            case FRAME_COMPLETE:
                bodies.append(
                    withUnsafeBytes(of: receiver.body) { Array($0.prefix(Int(receiver.length))) })
            case FRAME_DAMAGED: damaged += 1
            default: break
            }
        }
        return (bodies, damaged)
    }
}

/// The files of `Firmware/protocol/vectors`.
enum Vectors {
    static func url(_ name: String) -> URL {
        PackageFolder.url.appending(path: "Firmware/protocol/vectors").appending(path: name)
    }

    /// Returns the lines of a file without comments and empty lines.
    static func lines(_ name: String) throws -> [String] {
        try String(contentsOf: url(name), encoding: .utf8).split(separator: "\n").compactMap {
            let line = $0.prefix { $0 != "#" }.trimmingCharacters(in: .whitespaces)
            return line.isEmpty ? nil : line
        }
    }
}

extension String {
    /// The bytes of a hexadecimal string without spaces; `-` represents no bytes.
    var hexBytes: [UInt8] {
        guard self != "-" else { return [] }
        let digits = Array(utf8)
        return stride(from: 0, to: digits.count - 1, by: 2).map {
            UInt8(String(decoding: digits[$0...$0 + 1], as: UTF8.self), radix: 16)!
        }
    }

    var hex: UInt32 { UInt32(self, radix: 16)! }
}

extension Sequence<UInt8> {
    func hexText(separator: String = "") -> String {
        map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined(separator: separator)
    }
}

extension SeededGenerator {
    /// Returns 0 to 58 random bytes, in which zeros are more frequent than other values.
    mutating func payload() -> [UInt8] {
        let zeros = UInt8.random(in: 0...3, using: &self)
        return bytes(Int.random(in: 0...58, using: &self)).map { $0 % 4 < zeros ? 0 : $0 }
    }
}
