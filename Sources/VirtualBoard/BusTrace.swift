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
        /// Of the file.
        public let path: String
        /// The system's number of the reason (errno).
        public let code: Int32

        /// The path, and what the system says.
        public var description: String { "\(path): \(String(cString: strerror(code)))" }
    }

    private let path: String
    private var file: UnsafeMutablePointer<FILE>?
    private let line: (BusTransaction) -> String

    /// Opens a file for writing.
    ///
    /// - Parameter line: what is written of a transaction, without the line's end.
    public init(
        _ path: String, line: @escaping (BusTransaction) -> String
    ) throws(Failure) {
        self.path = path
        self.line = line
        file = fopen(path, "w")
        guard file != nil else { throw Failure(path: path, code: errno) }
    }

    /// Appends transactions; a reader sees them at once.
    public func write(_ transactions: [BusTransaction]) throws(Failure) {
        guard let file, !transactions.isEmpty else { return }
        for transaction in transactions { fputs(line(transaction) + "\n", file) }
        guard fflush(file) == 0 else { throw Failure(path: path, code: errno) }
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
