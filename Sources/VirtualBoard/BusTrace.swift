// BusTrace: the transfers on the I2C bus, written to a file that can be read while it grows.

import POSIX

/// A file with one line for each bus transaction.
public final class BusTrace {
    /// The failure to write the file.
    public struct Failure: Error, CustomStringConvertible {
        /// The path of the file.
        public let path: String
        /// The system's number for the reason (errno).
        public let code: Int32

        /// The path, and the system's text for the reason.
        public var description: String { "\(path): \(String(cString: strerror(code)))" }
    }

    private let path: String
    private var file: UnsafeMutablePointer<FILE>?
    private let line: (BusTransaction) -> String

    /// Opens a file for writing.
    ///
    /// - Parameter line: returns the text to write for a transaction, without the line's end.
    public init(
        _ path: String, line: @escaping (BusTransaction) -> String
    ) throws(Failure) {
        self.path = path
        self.line = line
        file = fopen(path, "w")
        guard file != nil else { throw Failure(path: path, code: errno) }
    }

    /// Appends transactions, which a reader of the file sees at once.
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
    /// The bytes of the transaction with two hexadecimal digits each, without spaces.
    public var hexadecimal: String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}
