// COBS: an encoding without zero bytes, so that a zero byte always marks the end of a frame (SPEC
// 2).

/// Consistent Overhead Byte Stuffing, without the delimiter (SPEC 2).
public enum COBS {
    /// The maximum number of bytes other than zero that can follow one code byte.
    private static let longestBlock = 254

    /// Returns `body` in an encoding without zero bytes. The encoding begins with a code byte, each
    /// zero byte is replaced by a code byte, and further code bytes are inserted after 254 bytes
    /// without zero. A code byte contains the distance to the next code byte or to the end.
    public static func encode(_ body: some Collection<UInt8>) -> [UInt8] {
        var stuffed: [UInt8] = [0]
        stuffed.reserveCapacity(body.count + body.count / longestBlock + 1)
        var codeIndex = 0
        for byte in body {
            if stuffed.count - codeIndex > longestBlock {
                closeBlock(&stuffed, at: &codeIndex)
            }
            if byte == 0 {
                closeBlock(&stuffed, at: &codeIndex)
            } else {
                stuffed.append(byte)
            }
        }
        stuffed[codeIndex] = UInt8(stuffed.count - codeIndex)
        return stuffed
    }

    /// Returns the body that is encoded in `stuffed`. Returns nil if `stuffed` contains a zero
    /// byte, or a distance that extends beyond the end of `stuffed`.
    public static func decode(_ stuffed: some Collection<UInt8>) -> [UInt8]? {
        var body: [UInt8] = []
        body.reserveCapacity(stuffed.count)
        var rest = stuffed[...]
        while let code = rest.popFirst() {
            guard code != 0 else { return nil }
            let block = rest.prefix(Int(code) - 1)
            guard block.count == Int(code) - 1, !block.contains(0) else { return nil }
            body.append(contentsOf: block)
            rest = rest.dropFirst(block.count)
            if code <= longestBlock, !rest.isEmpty { body.append(0) }
        }
        return body
    }

    private static func closeBlock(_ stuffed: inout [UInt8], at codeIndex: inout Int) {
        stuffed[codeIndex] = UInt8(stuffed.count - codeIndex)
        codeIndex = stuffed.count
        stuffed.append(0)
    }
}
