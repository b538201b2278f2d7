// BusTrace: what the I2C bus carries, as a file that others read while it grows.

import VirtualBoard

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// A file with one line for each bus transaction: start, end, actuator, bytes, acknowledge.
final class BusTrace {
    private var file: UnsafeMutablePointer<FILE>?

    init(_ path: String) throws(BoardTerminalError) {
        file = fopen(path, "w")
        guard file != nil else {
            throw BoardTerminalError(operation: "writing \(path)", code: errno)
        }
    }

    func write(_ transactions: [BusTransaction]) {
        guard let file, !transactions.isEmpty else { return }
        for transaction in transactions { fputs(line(transaction), file) }
        fflush(file)
    }

    private func line(_ transaction: BusTransaction) -> String {
        let bytes = transaction.bytes
            .map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        return "\(transaction.start) \(transaction.end) \(transaction.actuator) \(bytes) "
            + (transaction.isAcknowledged ? "1\n" : "0\n")
    }

    func close() {
        if let file { fclose(file) }
        file = nil
    }
}
