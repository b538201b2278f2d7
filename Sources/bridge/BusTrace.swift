// BusTrace: what the virtual board's bus carries, as a file, for measurements.

import VirtualBoard

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// A file with one line for each bus transaction: its start in host time, and its bytes.
final class BusTrace {
    private var file: UnsafeMutablePointer<FILE>?

    /// Opens the file for writing. Throws `ToolError`.
    init(_ path: String) throws(ToolError) {
        file = fopen(path, "w")
        guard file != nil else {
            throw ToolError(.cannotCreate, "\(path): \(String(cString: strerror(errno)))")
        }
    }

    /// - Parameter origin: host microseconds of board time 0.
    func write(_ transactions: [BusTransaction], origin: Int64) {
        guard let file else { return }
        for transaction in transactions {
            fputs("\(transaction.start + origin) \(transaction.bytes.hexadecimal)\n", file)
        }
    }

    func close() {
        if let file { fclose(file) }
        file = nil
    }
}

extension [UInt8] {
    /// Two digits a byte, without spaces.
    var hexadecimal: String { map(\.hexadecimal).joined() }
}

extension UInt8 {
    /// Two digits.
    var hexadecimal: String { (self < 16 ? "0" : "") + String(self, radix: 16) }
}
