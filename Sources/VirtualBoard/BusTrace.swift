// BusTrace: writes the transactions on the I2C bus to a file, which other programs can read at the
// same time.

import POSIX

/// A file with one line per bus transaction.
public final class BusTrace {
    /// The reason why the file cannot be written.
    public struct Failure: Error, CustomStringConvertible {
        /// The path of the file.
        public let path: String
        /// The system's error number (errno).
        public let code: Int32

        /// The text of the error: the path and the system's description.
        public var description: String { "\(path): \(String(cString: strerror(code)))" }
    }

    private let path: String
    private var file: UnsafeMutablePointer<FILE>?
    private let line: (BusTransaction) -> String

    /// Opens a file for writing.
    ///
    /// - Parameter line: a closure that returns the line of text for a transaction, without a line
    ///   end.
    public init(
        _ path: String, line: @escaping (BusTransaction) -> String
    ) throws(Failure) {
        self.path = path
        self.line = line
        file = fopen(path, "w")
        guard file != nil else { throw Failure(path: path, code: errno) }
    }

    /// Appends transactions, which are immediately visible to programs that read the file.
    public func write(_ transactions: [BusTransaction]) throws(Failure) {
        guard let file, !transactions.isEmpty else { return }
        for transaction in transactions { fputs(line(transaction) + "\n", file) }
        guard fflush(file) == 0 else { throw Failure(path: path, code: errno) }
    }

    /// Closes the file. Transactions that are written later are discarded.
    public func close() {
        if let file { fclose(file) }
        file = nil
    }
}

extension BusTransaction {
    /// The bytes of the transaction as two hexadecimal digits each, without spaces.
    public var hexadecimal: String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}
