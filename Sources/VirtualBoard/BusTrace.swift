// BusTrace: what the I2C bus carries, as a file that others may read while it grows.

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// A file with one line for each bus transaction.
public final class BusTrace {
    /// The file cannot be written.
    public struct Failure: Error, CustomStringConvertible {
        /// The path, and what the system says.
        public let description: String
    }

    private var file: UnsafeMutablePointer<FILE>?
    private let line: (BusTransaction) -> String

    /// Opens a file for writing.
    ///
    /// - Parameter line: what is written of a transaction, without the line's end.
    public init(
        _ path: String, line: @escaping (BusTransaction) -> String
    ) throws(Failure) {
        self.line = line
        file = fopen(path, "w")
        guard file != nil else {
            throw Failure(description: "\(path): \(String(cString: strerror(errno)))")
        }
    }

    /// Appends transactions; a reader sees them at once.
    public func write(_ transactions: [BusTransaction]) {
        guard let file, !transactions.isEmpty else { return }
        for transaction in transactions { fputs(line(transaction) + "\n", file) }
        fflush(file)
    }

    /// Closes the file; nothing is written afterwards.
    public func close() {
        if let file { fclose(file) }
        file = nil
    }
}

extension BusTransaction {
    /// The bytes with two hexadecimal digits each, without spaces.
    public var hexadecimal: String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}
