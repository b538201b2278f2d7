// Vectors: reads the test vectors in Firmware/protocol/vectors, which apply to the host and the
// firmware.

import POSIX

@testable import BridgeLink

enum Vectors {
    /// Returns the lines of a file without comments and empty lines.
    static func lines(_ name: String) throws -> [String] {
        try text(name).split(separator: "\n").map { line in
            var words = String(line.prefix { $0 != "#" })
            while words.last == " " { words.removeLast() }
            return words
        }.filter { !$0.isEmpty }
    }

    /// Returns the fields of each line that begins with `keyword`, without the keyword.
    static func fields(_ keyword: String, in name: String) throws -> [[String]] {
        try lines(name).map { $0.split(separator: " ").map(String.init) }
            .filter { $0[0] == keyword }
            .map { Array($0.dropFirst()) }
    }

    private static func text(_ name: String) throws -> String {
        let root = #filePath.split(separator: "/").dropLast(4).joined(separator: "/")
        let path = "/" + root + "/Firmware/protocol/vectors/" + name
        guard let file = fopen(path, "r") else { throw Missing(path: path) }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        while case let byte = getc(file), byte != EOF { bytes.append(UInt8(byte)) }
        return String(decoding: bytes, as: UTF8.self)
    }

    struct Missing: Error {
        let path: String
    }
}

/// Returns the bytes of a hexadecimal string with or without spaces. "-" represents an empty array.
func hex(_ text: some StringProtocol) -> [UInt8] {
    let digits = text.filter(\.isHexDigit).map { UInt8($0.hexDigitValue!) }
    return stride(from: 0, to: digits.count - 1, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
}
